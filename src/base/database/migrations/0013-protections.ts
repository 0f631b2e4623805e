import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Protections of branches and tags, with the users and teams that they name. */
export const protections: Migration = {
  name: 'protections',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    await db.schema
      .createTable('protections')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('pattern', text, (c) => c.notNull())
      .addColumn('allows_push', int, (c) => c.notNull())
      .addColumn('limits_push', int, (c) => c.notNull())
      .addColumn('limits_merge', int, (c) => c.notNull())
      .addColumn('requires_signatures', int, (c) => c.notNull())
      .addColumn('protected_files', text, (c) => c.notNull())
      .addColumn('unprotected_files', text, (c) => c.notNull())
      .addColumn('settings', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addUniqueConstraint('protections_pattern', ['repository_id', 'kind', 'pattern'])
      .execute();
    for (const [table, column, target] of [
      ['protection_accounts', 'account_id', 'accounts.id'],
      ['protection_teams', 'team_id', 'teams.id'],
    ] as const) {
      await db.schema
        .createTable(table)
        .addColumn('protection_id', int, (c) => c.notNull().references('protections.id').onDelete('cascade'))
        .addColumn('purpose', text, (c) => c.notNull())
        .addColumn(column, int, (c) => c.notNull().references(target).onDelete('cascade'))
        .addPrimaryKeyConstraint(`${table}_key`, ['protection_id', 'purpose', column])
        .execute();
      // For the deletion of an account or a team.
      await db.schema.createIndex(`${table}_of`).on(table).column(column).execute();
    }
  },
};
