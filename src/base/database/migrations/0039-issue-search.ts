import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Searches of 1,000,000 issues. On SQLite, the words of texts are in two indexes, because an index lists the rows of a word
 * by their ids only. In one, a row id is the id of the text and then that of its repository, so the newest texts of all
 * repositories come first without a look at any row. In the other one, the repository comes first, so its texts are a range.
 * There, the newest text has the smallest row id, because an index finds the beginning of a range at once, and its end not.
 *
 * `issue_terms` has each word of a text once. The other indexes contain all that a search checks first.
 */
export const issueSearch: Migration = {
  name: 'issue-search',
  async up(db, dialect) {
    const statements = dialect === 'sqlite' ? ON_SQLITE : ON_POSTGRES;
    for (const statement of [...INDEXES, ...statements]) await sql.raw(statement).execute(db);
  },
};

const INDEXES = [
  'drop index issues_everywhere',
  'create index issues_everywhere on issues (is_pull, is_closed, id, repository_id)',
  'drop index issue_entries_comments',
  'create index issue_entries_comments on issue_entries (repository_id, kind, id, issue_id, updated_at)',
  'create index issue_entries_changed on issue_entries (repository_id, kind, updated_at)',
  'create index labels_names on labels (name)',
  'create index milestones_titles on milestones (title)',
];

interface WordIndex {
  readonly table: string;
  readonly before: string;
  readonly columns: readonly string[];
  /** row ids of the texts of `of`, a row of the table of all texts */
  readonly rowid: (of: string) => string;
  readonly texts: string;
}

const byText = (of: string) => `(${of}.id << 31) | ${of}.repository_id`;
const byRepository = (of: string) => `(${of}.repository_id << 32) | (4294967295 - ${of}.id)`;
const OF_ISSUES = { before: 'issue_words', columns: ['heading', 'title', 'body'], texts: 'issues' };
const OF_COMMENTS = { before: 'comment_words', columns: ['body'], texts: 'issue_entries' };
const WORD_INDEXES: readonly WordIndex[] = [
  { ...OF_ISSUES, table: 'issue_texts', rowid: byText },
  { ...OF_ISSUES, table: 'repository_issue_texts', rowid: byRepository },
  { ...OF_COMMENTS, table: 'comment_texts', rowid: byText },
  { ...OF_COMMENTS, table: 'repository_comment_texts', rowid: byRepository },
];

// The tokenizer separates words at ASCII characters that are neither letters nor digits, and changes no others.
const OPTIONS = `tokenize = 'ascii', content = '', contentless_delete = 1`;

/** The index before has no texts, but the place of each word. */
function filled({ table, before, columns, rowid, texts }: WordIndex): readonly string[] {
  const words = columns.map(
    (column) => `coalesce(group_concat(term, ' ' order by offset) filter (where col = '${column}'), '')`,
  );
  return [
    `create virtual table ${table} using fts5 (${columns.join(', ')}, ${OPTIONS})`,
    `insert into ${table} (rowid, ${columns.join(', ')})
      select ${rowid('t')}, ${columns.map((column) => `w.${column}`).join(', ')} from
        (select doc, ${words.map((each, at) => `${each} as ${columns[at]}`).join(', ')} from ${before}_places group by doc) w
        join ${texts} t on t.id = w.doc order by 1`,
  ];
}

function deleting(texts: string): string {
  return WORD_INDEXES.filter((index) => index.texts === texts)
    .map(({ table, rowid }) => `delete from ${table} where rowid = ${rowid('old')};`)
    .join('\n');
}

const ON_SQLITE = [
  'drop trigger issues_words_gone',
  'drop trigger issue_entries_words_gone',
  `create virtual table issue_words_places using fts5vocab ('issue_words', 'instance')`,
  `create virtual table comment_words_places using fts5vocab ('comment_words', 'instance')`,
  ...WORD_INDEXES.flatMap(filled),
  'create table issue_terms (term text primary key) without rowid',
  ...['issue_words', 'comment_words'].flatMap((table) => [
    `insert or ignore into issue_terms select term from ${table}_places where col in ('title', 'body')`,
    `drop table ${table}_places`,
    `drop table ${table}`,
  ]),
  `create trigger issues_texts_gone after delete on issues begin
    ${deleting('issues')}
  end`,
  `create trigger issue_entries_texts_gone after delete on issue_entries when old.kind = 'comment' begin
    ${deleting('issue_entries')}
  end`,
];

const ON_POSTGRES = [
  'create table issue_terms (term text collate "C" primary key)',
  ...Object.entries({ issue: 'issues', comment: 'issue_entries' }).flatMap(([name, texts]) => [
    `insert into issue_terms select word from ts_stat('select words from ${name}_words')
      where strpos(word, '·') = 0 on conflict do nothing`,
    `alter table ${name}_words rename to ${name}_texts`,
    `alter table ${name}_texts rename column rowid to id`,
    `alter table ${name}_texts add column repository_id bigint`,
    `update ${name}_texts w set repository_id = t.repository_id from ${texts} t where t.id = w.id`,
    `alter table ${name}_texts alter column repository_id set not null`,
    `create index ${name}_texts_repository on ${name}_texts (repository_id, id)`,
  ]),
];
