import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database, Tx } from '../../../src/base/database/database.ts';
import { DATABASE_LIMITS } from '../../../src/base/database/limits.ts';
import { postgresServerUrl } from '../../support/database/postgres-databases.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { NOTES_API } from '../../support/forge/notes.ts';
import { until } from '../../support/until.ts';

const skip = postgresServerUrl() === undefined ? 'the embedded database has no locks on rows' : false;
const REQUESTS = 40;

function databaseOf(forge: TestForge): Database {
  return forge.forge.running.engines.database;
}

/** Runs `lock` in a transaction that stays open until the returned function is called. */
async function hold(database: Database, lock: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
  const isLocked = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const held = database.transaction(async (tx) => {
    await lock(tx);
    isLocked.resolve();
    await mayEnd.promise;
  });
  await isLocked.promise;
  return async () => {
    mayEnd.resolve();
    await held;
  };
}

async function waitingForLocks(database: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database.reader);
  return rows[0]?.count ?? 0;
}

async function untilRunning(forge: TestForge, count: number): Promise<void> {
  await until(async () => {
    const metrics = await forge.get('/metrics');
    return Number(/^quire_http_requests_running (\d+)$/m.exec(metrics.text)?.[1]) > count;
  });
}

async function startTwo(t: Parameters<typeof startForge>[0]): Promise<[TestForge, ada: Person, ben: Person]> {
  const forge = await startForge(t);
  return [forge, await forge.account('ada'), await forge.account('ben')];
}

test('lists of notes that wait for a write share one connection', { skip }, async (t) => {
  const [forge, ada, ben] = await startTwo(t);
  await ada.post(`${NOTES_API}/v1/notes`, { title: 'Plan', content: 'x' });
  const database = databaseOf(forge);
  const release = await hold(database, (tx) =>
    tx.updateTable('notebooks').set({ indexed_commit: sql`indexed_commit` }).execute(),
  );

  const lists = Array.from({ length: REQUESTS }, () => ada.get(`${NOTES_API}/v1/notes`));
  await untilRunning(forge, REQUESTS);
  await until(async () => (await waitingForLocks(database)) > 0);
  assert.equal(await waitingForLocks(database), 1);
  assert.equal((await ben.get('/api/v1/user')).status, 200);
  assert.equal((await ben.post('/api/v1/user/repos', { name: 'engine' })).status, 201);

  await release();
  const answers = await Promise.all(lists);
  assert.deepEqual([...new Set(answers.map(({ status, body }) => [status, body.length].join()))], ['200,1']);
});

test('changes that wait for a lock leave connections for other callers', { skip }, async (t) => {
  const [forge, ada, ben] = await startTwo(t);
  await ada.repository('engine');
  const database = databaseOf(forge);
  const release = await hold(database, (tx) =>
    tx.updateTable('repositories').set({ description: sql`description` }).execute(),
  );

  const edits = Array.from({ length: REQUESTS }, (_, index) =>
    ada.patch('/api/v1/repos/ada/engine', { website: `https://example.org/${index}` }),
  );
  await untilRunning(forge, REQUESTS);
  const share = DATABASE_LIMITS.databaseTransactionsPerCallerMax;
  await until(async () => (await waitingForLocks(database)) === share);
  assert.equal((await ben.get('/api/v1/repos/ada/engine')).status, 200);
  assert.equal((await ben.post('/api/v1/user/repos', { name: 'engine' })).status, 201);

  await release();
  assert.deepEqual([...new Set((await Promise.all(edits)).map(({ status }) => status))], [200]);
});

test('a transaction that waits too long for a lock is busy', { skip }, async (t) => {
  const [forge] = await startTwo(t);
  const database = databaseOf(forge);
  const touch = (tx: Tx) => tx.updateTable('accounts').set({ full_name: 'x' }).execute();
  const release = await hold(database, touch);

  const { rows } = await sql<{ lock_timeout: string }>`show lock_timeout`.execute(database.reader);
  const waiting = database.transaction(async (tx) => {
    await sql`set local lock_timeout = 1`.execute(tx);
    await touch(tx);
  });

  await assert.rejects(waiting, /another change takes too long/);
  assert.equal(rows[0]?.lock_timeout, `${DATABASE_LIMITS.databaseLockMs / 1000}s`);
  await release();
});
