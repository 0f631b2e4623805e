import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { isUniqueViolation, type Tx } from '../../../src/base/database/database.ts';
import { fragment } from '../../../src/base/database/fragment.ts';
import { query } from '../../../src/base/database/query.ts';
import { anyText } from '../../support/any-text.ts';
import { insertAccount, openMigrated } from './accounts.ts';

test('ids, times, counts and flags are read as numbers, and missing values as null', async (t) => {
  const database = await openMigrated(t);
  const createdAt = Date.UTC(2287, 0, 1);
  const id = await database.transaction((tx) => insertAccount(tx, 'ada', { createdAt }));

  const row = await database.reader
    .selectFrom('accounts')
    .select((of) => [
      'id',
      'created_at',
      'is_admin',
      'is_active',
      'last_login_at',
      'full_name',
      of.fn.countAll<number>().over().as('count'),
      of.fn.sum<number>('created_at').over().as('sum'),
    ])
    .executeTakeFirstOrThrow();

  assert.deepEqual(row, {
    id,
    created_at: createdAt,
    is_admin: 0,
    is_active: 1,
    last_login_at: null,
    full_name: '',
    count: 1,
    sum: createdAt,
  });
  assert.equal(typeof id, 'number');
});

test('the database stores whole numbers as integers, not fractions', async (t) => {
  const database = await openMigrated(t);
  await database.transaction((tx) => insertAccount(tx, 'ada', { createdAt: 4 }));

  const half = await query(database.reader, fragment`select (created_at + ${1}) / 2 as half from accounts`);
  assert.deepEqual(half, [{ half: 2 }]);
});

test('a row with an id that no number can hold does not prevent later transactions', async (t) => {
  const database = await openMigrated(t);
  // The full-text search of the embedded database makes such ids for itself.
  await database.transaction(async (tx) => {
    await sql`create table numbered (id bigint)`.execute(tx);
    await sql`insert into numbered (id) values (9007199254740994)`.execute(tx);
    const rowid = database.dialect === 'sqlite' ? sql`rowid` : sql`id`;
    await sql`insert into numbered (${rowid}) values (9007199254740994)`.execute(tx);
  });

  await database.transaction((tx) => insertAccount(tx, 'ada', { createdAt: 4 }));
  await database.transaction((tx) => tx.updateTable('accounts').set({ full_name: 'Ada' }).execute());
});

test('any text without NUL is read back unchanged', async (t) => {
  const database = await openMigrated(t);
  let count = 0;
  const text = anyText().filter((value) => !value.includes('\0'));
  await fc.assert(
    fc.asyncProperty(text, async (fullName) => {
      count += 1;
      const id = await database.transaction((tx) => insertAccount(tx, `account-${count}`, { fullName }));
      const row = await database.reader
        .selectFrom('accounts')
        .select('full_name')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.equal(row.full_name, fullName);
    }),
    { numRuns: 50 },
  );
});

test('text sorts and compares by bytes', async (t) => {
  const database = await openMigrated(t);
  const names = ['a-b', 'A', 'a', 'a/b', 'ab', 'a_b', 'B', 'b', 'é', '~', '🦊', '\uFFFD'];
  await database.transaction(async (tx) => {
    for (const [index, fullName] of names.entries())
      await insertAccount(tx, `account-${index}`, { fullName });
  });

  const sorted = await database.reader
    .selectFrom('accounts')
    .select('full_name')
    .orderBy('full_name')
    .execute();
  const byBytes = names.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  assert.deepEqual(
    sorted.map((row) => row.full_name),
    byBytes,
  );

  const underA = await database.reader
    .selectFrom('accounts')
    .select('full_name')
    .where('full_name', '>=', 'a/')
    .where('full_name', '<', 'a0')
    .execute();
  assert.deepEqual(underA, [{ full_name: 'a/b' }]);
});

test('a statement binds its parameters in the order of its text', async (t) => {
  const database = await openMigrated(t);
  const between = (label: string, from: number, before: number) =>
    query(
      database.reader,
      fragment`select name, cast(${label} as text) as label from accounts
        where created_at >= ${from} and created_at < ${before} order by name`,
    );
  await database.transaction(async (tx) => {
    for (const createdAt of [1, 2, 3, 4]) await insertAccount(tx, `account-${createdAt}`, { createdAt });
  });

  assert.deepEqual(await between('it is $1', 2, 4), [
    { name: 'account-2', label: 'it is $1' },
    { name: 'account-3', label: 'it is $1' },
  ]);
  assert.deepEqual(await between('again', 4, 9), [{ name: 'account-4', label: 'again' }]);
});

test("a statement in a transaction sees the transaction's writes", async (t) => {
  const database = await openMigrated(t);
  const names = fragment`select name from accounts`;

  await database.transaction(async (tx) => {
    await insertAccount(tx, 'ada');
    assert.deepEqual(await query(tx, names), [{ name: 'ada' }]);
    assert.deepEqual(await query(database.reader, names), []);
  });
  assert.deepEqual(await query(database.reader, names), [{ name: 'ada' }]);
});

test('a failed transaction leaves no changes, and the next one works', async (t) => {
  const database = await openMigrated(t);
  const failing = database.transaction(async (tx) => {
    await insertAccount(tx, 'ada');
    throw new Error('rolled back on purpose');
  });
  await assert.rejects(failing, /rolled back on purpose/);

  await database.transaction((tx) => insertAccount(tx, 'ada'));
  const rows = await database.reader.selectFrom('accounts').select('name').execute();
  assert.deepEqual(rows, [{ name: 'ada' }]);
});

test('concurrent transactions lose no change', async (t) => {
  const database = await openMigrated(t);
  await database.transaction((tx) => insertAccount(tx, 'ada'));
  const raise = (tx: Tx) =>
    tx.updateTable('accounts').set({ credential_version: sql`credential_version + 1` }).execute();

  await Promise.all(Array.from({ length: 50 }, () => database.transaction(raise)));

  const row = await database.reader.selectFrom('accounts').select('credential_version').executeTakeFirst();
  assert.deepEqual(row, { credential_version: 51 });
});

test('a duplicate name or key is a unique violation', async (t) => {
  const database = await openMigrated(t);
  await database.transaction((tx) => insertAccount(tx, 'ada'));

  await assert.rejects(
    database.transaction((tx) => insertAccount(tx, 'ADA')),
    isUniqueViolation,
  );
  const removedTwice = [
    { repository_id: 1, removed_at: 0 },
    { repository_id: 1, removed_at: 0 },
  ];
  await assert.rejects(
    database.transaction((tx) => tx.insertInto('git_removed').values(removedTwice).execute()),
    isUniqueViolation,
  );
});

test('other constraint failures are not unique violations', async (t) => {
  const database = await openMigrated(t);
  const orphan = (tx: Tx) =>
    tx
      .insertInto('tokens')
      .values({ account_id: 404, name: 't', digest: 'd', last_eight: '', scopes: '', created_at: 0 })
      .execute();
  const incomplete = (tx: Tx) => sql`insert into git_removed (repository_id) values (1)`.execute(tx);

  for (const failing of [orphan, incomplete]) {
    await assert.rejects(database.transaction<unknown>(failing), (error) => !isUniqueViolation(error));
  }
  assert.equal(isUniqueViolation('23505'), false);
});

test('a statement that ran before a change of the table returns the columns that the table has after it', async (t) => {
  const database = await openMigrated(t);
  await database.transaction((tx) => sql`create table shelves (id bigint, name text)`.execute(tx));
  const readAll = (tx: Tx) => query<object>(tx, fragment`select * from shelves`);
  const before = await database.transaction(async (tx) => {
    await sql`insert into shelves (id, name) values (1, 'low')`.execute(tx);
    return readAll(tx);
  });
  assert.deepEqual(before, [{ id: 1, name: 'low' }]);

  await database.transaction((tx) => sql`alter table shelves add column room text`.execute(tx));
  await database.transaction((tx) => sql`alter table shelves rename column name to label`.execute(tx));

  assert.deepEqual(await database.transaction(readAll), [{ id: 1, label: 'low', room: null }]);
});
