import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Activities about transfers also have the id of the former owner, which decides who may see the name. Earlier ones have
 * none, so they no longer show it.
 */
export const formerOwners: Migration = {
  name: 'former-owners',
  async up(db) {
    for (const statement of [
      'alter table activities add column former_owner_id bigint references accounts (id) on delete set null',
      `create index activities_former_owner on activities (former_owner_id) where former_owner_id is not null`,
    ])
      await sql.raw(statement).execute(db);
  },
};
