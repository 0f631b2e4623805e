import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Who has added a deploy key: its use counts for this user. */
export const whoAddedDeployKeys: Migration = {
  name: 'who-added-deploy-keys',
  async up(db, dialect) {
    await db.schema
      .alterTable('deploy_keys')
      .addColumn('added_by', wholeNumber(dialect), (c) => c.references('accounts.id').onDelete('set null'))
      .execute();
    // Deleting an account looks for the keys that it has added.
    await db.schema.createIndex('deploy_keys_adder').on('deploy_keys').column('added_by').execute();
  },
};
