import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../../../src/base/database/fragment.ts';
import { MIGRATIONS } from '../../../src/base/database/migrations/index.ts';
import { query } from '../../../src/base/database/query.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

const STEP = MIGRATIONS.findIndex(({ name }) => name === 'account-links');

test('primary addresses from before are verified, and added ones are not, even if several accounts have one', async (t) => {
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));
  const { dialect } = database;
  await database.transaction(async (tx) => {
    for (const migration of MIGRATIONS.slice(0, STEP)) await migration.up(tx, dialect);
    const [ada, ben] = [await insertAccount(tx, 'ada'), await insertAccount(tx, 'ben')];
    const rows = [
      [ada, 'ada@example.org', 1],
      [ben, 'ben@example.org', 1],
      [ada, 'shared@example.org', 0],
      [ben, 'shared@example.org', 0],
      [ben, 'ada@example.org', 0],
    ].map(([id, email, isPrimary]) => `('${email}', ${id}, '${email}', ${isPrimary}, 0)`);
    await query(
      tx,
      raw(
        `insert into account_emails (lower_email, account_id, email, is_primary, created_at) values ${rows.join(', ')}`,
      ),
    );
    await MIGRATIONS[STEP]?.up(tx, dialect);

    const verified = await query<{ email: string; account_id: number }>(
      tx,
      raw('select email, account_id from account_emails where is_verified = 1 order by email'),
    );
    assert.deepEqual(
      verified.map(({ email, account_id }) => [email, account_id]),
      [
        ['ada@example.org', ada],
        ['ben@example.org', ben],
      ],
    );
  });
});
