import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * Administrators of a team own its repositories, but those belong to the organization: a transfer that they start waits for an
 * owner of the organization, and a setting allows them to delete repositories.
 */
export const teamAdministrators: Migration = {
  name: 'team-administrators',
  async up(db, dialect) {
    await db.schema
      .alterTable('organizations')
      .addColumn('team_admins_delete', wholeNumber(dialect), (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('repository_transfers')
      .addColumn('waits_for_owner', wholeNumber(dialect), (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
