import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Tx } from '../../../src/base/database/database.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

// Two open databases at one location act like two processes: they share the database, but no queue.

test('a writer waits for the transaction of another process and then continues', async (t) => {
  const location = await databaseLocation(t);
  const [first, second] = [openAt(t, location), openAt(t, location)];
  await first.transaction((tx) => insertAccount(tx, 'ada'));
  const rename = (tx: Tx, fullName: string) =>
    tx.updateTable('accounts').set({ full_name: fullName }).execute();
  const order: string[] = [];

  const hasWritten = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const one = first.transaction(async (tx) => {
    await rename(tx, 'first');
    hasWritten.resolve();
    await mayCommit.promise;
    order.push('first commits');
  });
  await hasWritten.promise;
  const other = second.transaction(async (tx) => {
    await rename(tx, 'second');
    order.push('second has written');
  });
  // The second writer requests the lock now, and again while this process does other work.
  await second.reader.selectFrom('accounts').select('id').execute();
  await new Promise((resolve) => setImmediate(resolve));
  mayCommit.resolve();
  await Promise.all([one, other]);

  assert.deepEqual(order, ['first commits', 'second has written']);
  const row = await first.reader.selectFrom('accounts').select('full_name').executeTakeFirst();
  assert.deepEqual(row, { full_name: 'second' });
});

test('two processes that write concurrently lose no change', async (t) => {
  const location = await databaseLocation(t);
  const databases = [openAt(t, location), openAt(t, location)];
  await databases[0]?.transaction((tx) => insertAccount(tx, 'ada'));
  const raise = async (tx: Tx) => {
    await tx.updateTable('accounts').set({ credential_version: sql`credential_version + 1` }).execute();
  };

  await Promise.all(
    databases.flatMap((database) => Array.from({ length: 20 }, () => database.transaction(raise))),
  );

  const row = await databases[1]?.reader
    .selectFrom('accounts')
    .select('credential_version')
    .executeTakeFirst();
  assert.deepEqual(row, { credential_version: 41 });
});

test('a reader continues while a transaction is open, and sees only committed rows', async (t) => {
  const location = await databaseLocation(t);
  const [writer, other] = [openAt(t, location), openAt(t, location)];
  const names = () => other.reader.selectFrom('accounts').select('name').execute();

  await writer.transaction(async (tx) => {
    await insertAccount(tx, 'ada');
    assert.deepEqual(await names(), []);
  });
  assert.deepEqual(await names(), [{ name: 'ada' }]);
});
