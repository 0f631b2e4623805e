import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { hintAfterCommit } from '../../../src/base/database/hints-after-commit.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { until } from '../../support/until.ts';
import { insertAccount, openAt, openMigrated } from './accounts.ts';

test('a hint arrives after the commit that sent it, so its listener reads the committed rows', async (t) => {
  const database = await openMigrated(t);
  const names: string[][] = [];
  const received = Promise.withResolvers<void>();
  await database.transaction((tx) => insertAccount(tx, 'ada'));
  const list = async () => {
    const rows = await database.reader.selectFrom('accounts').select('name').orderBy('id').execute();
    names.push(rows.map((row) => row.name));
    if (names.at(-1)?.length === 2) received.resolve();
  };
  const lists: Promise<void>[] = [];
  const stop = database.onHint('events', () => lists.push(list()));

  await database.transaction(async (tx) => {
    hintAfterCommit(tx, 'events');
    await insertAccount(tx, 'bob');
  });
  await received.promise;
  stop();
  await Promise.all(lists);

  assert.deepEqual(names.at(-1), ['ada', 'bob']);
});

test('a transaction that rolls back sends no hint, and a listener receives only the hints it subscribed to', async (t) => {
  const database = await openMigrated(t);
  const received: string[] = [];
  let isConnected = database.dialect === 'sqlite';
  const stop = database.onHint('events', () => {
    if (isConnected) received.push('events');
  });
  database.onHint('jobs', () => {
    // On PostgreSQL, each listener is called once when the connection starts to listen.
    if (isConnected) received.push('jobs');
    isConnected = true;
  });
  await until(() => isConnected);

  await assert.rejects(
    database.transaction(async (tx) => {
      hintAfterCommit(tx, 'events');
      await insertAccount(tx, 'ada');
      throw new Error('rolled back on purpose');
    }),
  );
  stop();
  await database.transaction(async (tx) => hintAfterCommit(tx, 'jobs'));
  await until(() => received.length > 0);

  assert.deepEqual([...new Set(received)], ['jobs']);
});

test('a process receives its own hints at once and only once, and another process receives them too', async (t) => {
  const location = await databaseLocation(t);
  const [sender, listener] = [openAt(t, location), openAt(t, location)];
  if (sender.dialect === 'sqlite') return t.skip('the embedded database belongs to one server process');
  const heard = { here: 0, there: 0, jobs: 0 };
  sender.onHint('events', () => {
    heard.here += 1;
  });
  sender.onHint('jobs', () => {
    heard.jobs += 1;
  });
  listener.onHint('events', () => {
    heard.there += 1;
  });
  // Each is called once when its connection starts to listen.
  await until(() => heard.here === 1 && heard.there === 1 && heard.jobs === 1);

  await sender.transaction(async (tx) => hintAfterCommit(tx, 'events'));
  assert.equal(heard.here, 2);
  await until(() => heard.there === 2);
  await listener.transaction(async (tx) => hintAfterCommit(tx, 'jobs'));
  // PostgreSQL sends messages in order, so the sender has received its own one by now.
  await until(() => heard.jobs === 2);

  assert.equal(heard.here, 2);
});

test('another process of a shared database receives the hint, even after its connection broke', async (t) => {
  const location = await databaseLocation(t);
  const [sender, listener] = [openAt(t, location), openAt(t, location)];
  if (sender.dialect === 'sqlite') return t.skip('the embedded database belongs to one server process');
  let received = 0;
  listener.onHint('events', () => {
    received += 1;
  });
  await until(() => received === 1);

  await sender.transaction(async (tx) => hintAfterCommit(tx, 'events'));
  await until(() => received === 2);

  const ended = await sender.reader.executeQuery(
    CompiledQuery.raw(
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen quire_hints' and datname = current_database()",
    ),
  );
  assert.equal(ended.rows.length, 1);
  await until(() => received === 3);
});
