import { sql } from 'kysely';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Reactions to issues and comments. Pinned issues get an index. */
export const issueReactions: Migration = {
  name: 'issue-reactions',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await db.schema
      .createTable('issue_reactions')
      .addColumn('id', idType, idBuild)
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('entry_id', int, (c) => c.references('issue_entries.id').onDelete('cascade'))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('content', bytewiseText(dialect), (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    for (const statement of INDEXES) await sql.raw(statement).execute(db);
  },
};

const INDEXES = [
  `create unique index issue_reactions_given on issue_reactions
    (issue_id, coalesce(entry_id, 0), account_id, content)`,
  'create index issue_reactions_entry on issue_reactions (entry_id)',
  'create index issue_reactions_account on issue_reactions (account_id)',
  'create index issues_pinned on issues (repository_id, pin_order) where pin_order > 0',
];
