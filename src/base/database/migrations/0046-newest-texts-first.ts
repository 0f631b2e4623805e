import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * On SQLite, the newest text of all repositories gets the smallest row id, as that of one repository has since migration
 * 0039: an index of words that is read backwards takes half as long again.
 */
export const newestTextsFirst: Migration = {
  name: 'newest-texts-first',
  async up(db, dialect) {
    if (dialect !== 'sqlite') return;
    const run = async (statements: readonly string[]) => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    };
    await run(['drop trigger issues_texts_gone', 'drop trigger issue_entries_texts_gone']);
    for (const [table, columns] of INDEXES) {
      const { rows } = await sql.raw(`select rowid from ${table} limit 1`).execute(db);
      // An empty index is the same either way. Renaming one makes SQLite read all tables again.
      if (rows.length > 0) await run(turned(table, columns));
    }
    await run(TRIGGERS);
  },
};

const INDEXES = [
  ['issue_texts', ['heading', 'title', 'body']],
  ['comment_texts', ['body']],
] as const;

const OPTIONS = `tokenize = 'ascii', content = '', contentless_delete = 1`;

/** Fills an index again with the words at the places that the one before has. */
function turned(table: string, columns: readonly string[]): readonly string[] {
  const words = columns.map(
    (column) =>
      `coalesce(group_concat(term, ' ' order by offset) filter (where col = '${column}'), '') as ${column}`,
  );
  const names = columns.join(', ');
  return [
    `create virtual table ${table}_places using fts5vocab ('${table}', 'instance')`,
    `create virtual table turned_${table} using fts5 (${names}, ${OPTIONS})`,
    `insert into turned_${table} (rowid, ${names})
      select ((4294967295 - (doc >> 31)) << 31) | (doc & 2147483647), ${names}
      from (select doc, ${words.join(', ')} from ${table}_places group by doc) order by 1`,
    `drop table ${table}_places`,
    `drop table ${table}`,
    `alter table turned_${table} rename to ${table}`,
  ];
}

function deleting(texts: string): string {
  return `delete from ${texts} where rowid = ((4294967295 - old.id) << 31) | old.repository_id;
    delete from repository_${texts} where rowid = (old.repository_id << 32) | (4294967295 - old.id);`;
}

const TRIGGERS = [
  `create trigger issues_texts_gone after delete on issues begin
    ${deleting('issue_texts')}
  end`,
  `create trigger issue_entries_texts_gone after delete on issue_entries when old.kind = 'comment' begin
    ${deleting('comment_texts')}
  end`,
];
