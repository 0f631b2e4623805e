import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** A key whose user has proved to possess it takes the place of a key that its user has not proved. */
export const provedSshKeys: Migration = {
  name: 'proved-ssh-keys',
  async up(db, dialect) {
    await db.schema
      .alterTable('ssh_keys')
      .addColumn('is_proved', wholeNumber(dialect), (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
