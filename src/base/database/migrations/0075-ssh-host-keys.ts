import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** The keys with which the SSH server proves to clients which server it is. */
export const sshHostKeys: Migration = {
  name: 'ssh-host-keys',
  async up(db, dialect) {
    await db.schema
      .createTable('ssh_host_keys')
      .addColumn('type', 'text', (c) => c.notNull().primaryKey())
      .addColumn('sealed_key', 'text', (c) => c.notNull())
      .addColumn('created_at', wholeNumber(dialect), (c) => c.notNull())
      .execute();
  },
};
