import { sql } from 'kysely';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** OpenPGP keys of users, with their subkeys and e-mail addresses. */
export const openPgpKeys: Migration = {
  name: 'openpgp keys',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    await db.schema
      .createTable('openpgp_keys')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('primary_id', int, (c) => c.references('openpgp_keys.id').onDelete('cascade'))
      .addColumn('key_id', text, (c) => c.notNull())
      .addColumn('fingerprint', text, (c) => c.notNull())
      .addColumn('content', text, (c) => c.notNull())
      .addColumn('can_sign', int, (c) => c.notNull())
      .addColumn('can_certify', int, (c) => c.notNull())
      .addColumn('can_encrypt_communication', int, (c) => c.notNull())
      .addColumn('can_encrypt_storage', int, (c) => c.notNull())
      .addColumn('is_proved', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('expires_at', int)
      .execute();
    await db.schema
      .createIndex('openpgp_keys_primary')
      .on('openpgp_keys')
      .column('fingerprint')
      .unique()
      .where(sql.ref('primary_id'), 'is', null)
      .execute();
    for (const [index, column] of [
      ['openpgp_keys_signing', 'key_id'],
      ['openpgp_keys_account', 'account_id'],
      ['openpgp_keys_subkeys', 'primary_id'],
    ] as const)
      await db.schema.createIndex(index).on('openpgp_keys').column(column).execute();
    await db.schema
      .createTable('openpgp_key_emails')
      .addColumn('key_id', int, (c) => c.notNull().references('openpgp_keys.id').onDelete('cascade'))
      .addColumn('lower_email', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('openpgp_key_emails_key', ['key_id', 'lower_email'])
      .execute();
  },
};
