import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../../src/base/database/database.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { postgresServerUrl } from '../../support/database/postgres-databases.ts';
import { insertAccount, openAt } from './accounts.ts';

const skip = postgresServerUrl() === undefined ? false : 'PostgreSQL has no such limit';
const NAMES = Array.from({ length: 20 }, (_, index) => `user-${index}`);

async function openTwo(
  t: TestContext,
): Promise<{ database: Database; other: Database; file: string | null }> {
  const location = await databaseLocation(t);
  const file = location.kind === 'file' ? location.path : null;
  return { database: openAt(t, location), other: openAt(t, location), file };
}

async function namesIn(database: Database): Promise<readonly string[]> {
  const rows = await database.reader.selectFrom('accounts').select('name').orderBy('id').execute();
  return rows.map(({ name }) => name);
}

/** Counts the commits in the write-ahead log: the header of the last frame of each has the size of the database. */
async function commitsIn(file: string): Promise<number> {
  const log = await readFile(`${file}-wal`);
  if (log.length === 0) return 0;
  const pageBytes = log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + 24 <= log.length; at += 24 + pageBytes) if (log.readUInt32BE(at + 4) > 0) count += 1;
  return count;
}

test('transactions that come together are all durable when they return', async (t) => {
  const { database, other, file } = await openTwo(t);
  const before = file === null ? 0 : await commitsIn(file);

  const seen = await Promise.all(
    NAMES.map(async (name) => {
      await database.transaction((tx) => insertAccount(tx, name));
      return (await namesIn(other)).includes(name);
    }),
  );

  assert.ok(seen.every(Boolean));
  if (file !== null) assert.equal((await commitsIn(file)) - before, 1);
});

test('a transaction that fails among others undoes its own changes only', async (t) => {
  const { database, other } = await openTwo(t);

  const results = await Promise.allSettled(
    NAMES.map((name, index) =>
      database.transaction(async (tx) => {
        await insertAccount(tx, name);
        if (index % 3 === 0) throw new Error(`no ${name}`);
      }),
    ),
  );

  const kept = NAMES.filter((_, index) => index % 3 !== 0);
  assert.deepEqual((await namesIn(other)).toSorted(), kept.toSorted());
  results.forEach((result, index) => {
    const why = result.status === 'rejected' ? result.reason.message : null;
    assert.equal(why, index % 3 === 0 ? `no user-${index}` : null);
  });
});

test('a transaction that violates a constraint leaves the others alone', async (t) => {
  const { database, other } = await openTwo(t);
  const twice = [...NAMES, ...NAMES];

  const results = await Promise.allSettled(
    twice.map((name) => database.transaction((tx) => insertAccount(tx, name))),
  );

  assert.deepEqual((await namesIn(other)).toSorted(), NAMES.toSorted());
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, NAMES.length);
});

test('transactions that wait for one in the middle of its work return after it', async (t) => {
  const { database, other } = await openTwo(t);
  const turns = () => new Promise((resolve) => setImmediate(resolve));

  const first = database.transaction((tx) => insertAccount(tx, 'first'));
  const slow = database.transaction(async (tx) => {
    await insertAccount(tx, 'slow');
    await turns();
    await turns();
    throw new Error('too slow');
  });
  const last = database.transaction((tx) => insertAccount(tx, 'last'));

  await assert.rejects(slow, /too slow/);
  await Promise.all([first, last]);
  assert.deepEqual((await namesIn(other)).toSorted(), ['first', 'last']);
});

test('if the disk is full, exactly the transactions that return are stored', { skip }, async (t) => {
  const { database, other } = await openTwo(t);
  const text = 'x'.repeat(1_000_000);
  const pages = await sql<{ page_count: number }>`pragma page_count`.execute(database.reader);
  const limitPages = (count: number) =>
    database.transaction((tx) => sql`pragma max_page_count = ${sql.lit(count)}`.execute(tx));
  await limitPages((pages.rows[0]?.page_count ?? 0) + 20);

  const results = await Promise.allSettled([
    database.transaction((tx) => insertAccount(tx, 'small')),
    database.transaction(async (tx) => {
      await insertAccount(tx, 'large');
      await tx.updateTable('accounts').set({ full_name: text }).where('name', '=', 'large').execute();
    }),
    database.transaction((tx) => insertAccount(tx, 'next')),
  ]);
  const stored = await namesIn(other);

  const returned = ['small', 'large', 'next'].filter((_, index) => results[index]?.status === 'fulfilled');
  assert.deepEqual(stored, returned);
  assert.equal(results[1]?.status, 'rejected');
  await limitPages(1_000_000);
  await database.transaction((tx) => insertAccount(tx, 'later'));
  assert.deepEqual(await namesIn(other), [...returned, 'later']);
});

test('closing the database fails the transactions that wait for one in the middle of its work', {
  skip: skip && 'PostgreSQL commits each by itself',
}, async (t) => {
  const { database, other } = await openTwo(t);
  const inTheMiddle = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();

  const results = Promise.allSettled([
    database.transaction((tx) => insertAccount(tx, 'first')),
    database.transaction(async (tx) => {
      await insertAccount(tx, 'slow');
      inTheMiddle.resolve();
      await closed.promise;
      await insertAccount(tx, 'never');
    }),
  ]);
  await inTheMiddle.promise;
  await database.close();
  closed.resolve();

  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(await namesIn(other), []);
});
