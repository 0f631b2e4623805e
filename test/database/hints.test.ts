import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { hintAfterCommit } from '../../src/database/hints-after-commit.ts';
import { databaseLocation } from '../support/database-location.ts';
import { until } from '../support/until.ts';
import { insertAccount, openAt, openMigrated } from './accounts.ts';

test('a hint arrives after the commit that sent it, and its listener sees the committed rows', async (t) => {
  const database = await openMigrated(t);
  const names: string[][] = [];
  const heard = Promise.withResolvers<void>();
  await database.transaction((tx) => insertAccount(tx, 'ada'));
  const list = async () => {
    const rows = await database.reader.selectFrom('accounts').select('name').orderBy('id').execute();
    names.push(rows.map((row) => row.name));
    if (names.at(-1)?.length === 2) heard.resolve();
  };
  const isDone: Promise<void>[] = [];
  const stop = database.onHint('events', () => isDone.push(list()));

  await database.transaction(async (tx) => {
    hintAfterCommit(tx, 'events');
    await insertAccount(tx, 'bob');
  });
  await heard.promise;
  stop();
  await Promise.all(isDone);

  assert.deepEqual(names.at(-1), ['ada', 'bob']);
});

test('a transaction that rolls back sends no hint, and a listener hears only its own hints', async (t) => {
  const database = await openMigrated(t);
  const heard: string[] = [];
  let isConnected = database.dialect === 'sqlite';
  const stop = database.onHint('events', () => {
    if (isConnected) heard.push('events');
  });
  database.onHint('jobs', () => {
    // PostgreSQL sends every hint once when it starts to listen.
    if (isConnected) heard.push('jobs');
    isConnected = true;
  });
  await until(() => isConnected);

  await assert.rejects(
    database.transaction(async (tx) => {
      hintAfterCommit(tx, 'events');
      await insertAccount(tx, 'ada');
      throw new Error('no');
    }),
  );
  stop();
  await database.transaction(async (tx) => hintAfterCommit(tx, 'jobs'));
  await until(() => heard.length > 0);

  assert.deepEqual([...new Set(heard)], ['jobs']);
});

test('another process of a shared database hears the hint, also after its connection broke', async (t) => {
  const location = await databaseLocation(t);
  const [teller, listener] = [openAt(t, location), openAt(t, location)];
  if (teller.dialect === 'sqlite') return t.skip('the embedded database belongs to one server process');
  let heard = 0;
  listener.onHint('events', () => {
    heard += 1;
  });
  await until(() => heard === 1);

  await teller.transaction(async (tx) => hintAfterCommit(tx, 'events'));
  await until(() => heard === 2);

  const ended = await teller.reader.executeQuery(
    CompiledQuery.raw(
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen quire_hints' and datname = current_database()",
    ),
  );
  assert.equal(ended.rows.length, 1);
  await until(() => heard === 3);
});
