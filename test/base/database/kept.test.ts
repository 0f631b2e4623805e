import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../../src/base/database/database.ts';
import { hintAfterCommit } from '../../../src/base/database/hints-after-commit.ts';
import { openDatabase } from '../../../src/base/database/open.ts';
import { type KeptDatabase, takePostgresDatabase } from '../../support/kept-postgres.ts';
import { withClient } from '../../support/postgres.ts';
import { type Contents, contentsOf } from '../../support/postgres-contents.ts';
import { postgresServerUrl } from '../../support/postgres-databases.ts';
import { until } from '../../support/until.ts';

const serverUrl = postgresServerUrl() ?? '';
const skip = serverUrl === '' ? 'tests keep no embedded databases' : false;

type Use = (database: Database, kept: KeptDatabase) => Promise<unknown>;

/** Uses a database as a test does, and returns what it contains before and what the next test gets. */
async function used(work: Use): Promise<{ before: Contents; after: Contents; isKept: boolean }> {
  const kept = await takePostgresDatabase(serverUrl);
  const before = await withClient(kept.url, contentsOf);
  const database = openDatabase({ kind: 'url', url: kept.url, connections: kept.connections });
  await work(database, kept);
  await database.close();
  await kept.release();
  const next = await takePostgresDatabase(serverUrl);
  const after = await withClient(next.url, contentsOf);
  await next.release();
  return { before, after, isKept: next.url === kept.url };
}

function changeRows(database: Database): Promise<void> {
  return database.transaction(async (tx) => {
    await sql`insert into events (kind, payload, created_at) values ('test', ${"it's"}, 0)`.execute(tx);
    await sql`update jobs set run_at = 5`.execute(tx);
    await sql`insert into jobs (kind, key, payload, run_at, created_at) values ('a', 'b', '{}', 0, 0)`.execute(
      tx,
    );
    await sql`delete from jobs where id = (select min(id) from jobs)`.execute(tx);
  });
}

test('the next test gets the same database with the rows and ids of a new one', { skip }, async () => {
  const { before, after, isKept } = await used(changeRows);

  assert.equal(isKept, true);
  assert.notDeepEqual(before.rows, {});
  assert.deepEqual(after, before);
});

test('a database whose schema was changed is removed', { skip }, async () => {
  const { before, after, isKept } = await used((database) =>
    database.transaction((tx) => sql`alter table labels rename column name to title`.execute(tx)),
  );

  assert.equal(isKept, false);
  assert.deepEqual(after, before);
});

test('a database with statistics for the planner, or with room of many deleted rows, is removed', {
  skip,
}, async () => {
  const analyzed = await used((database) =>
    database.transaction((tx) => sql`analyze schema_versions`.execute(tx)),
  );
  const large = await used((database) =>
    database.transaction(async (tx) => {
      await sql`insert into events (kind, payload, created_at)
        select 'test', repeat('x', 1000), n from generate_series(1, 2000) n`.execute(tx);
    }),
  );

  assert.deepEqual([analyzed.isKept, large.isKept], [false, false]);
});

test('a database on which another process still works is removed', { skip }, async () => {
  const kept = await takePostgresDatabase(serverUrl);
  const database = openDatabase({ kind: 'url', url: kept.url, connections: kept.connections });
  await changeRows(database);
  await database.close();

  await withClient(kept.url, () => kept.release());

  const next = await takePostgresDatabase(serverUrl);
  assert.notEqual(next.url, kept.url);
  await next.release();
});

test('a closed database lets no statement through, although its connections stay open', {
  skip,
}, async () => {
  const kept = await takePostgresDatabase(serverUrl);
  const database = openDatabase({ kind: 'url', url: kept.url, connections: kept.connections });
  await sql`select 1`.execute(database.reader);
  await database.close();

  await assert.rejects(sql`select 1`.execute(database.reader));
  await kept.release();
});

test('a server does not hear the hints of the next one', { skip }, async () => {
  const kept = await takePostgresDatabase(serverUrl);
  const heard: string[] = [];
  const openAs = (name: string) => {
    const database = openDatabase({ kind: 'url', url: kept.url, connections: kept.connections });
    database.onHint('jobs', () => heard.push(name));
    return database;
  };
  const first = openAs('first');
  await until(() => heard.length > 0);
  await first.close();
  heard.length = 0;
  const second = openAs('second');
  await until(() => heard.length > 0);

  await second.transaction(async (tx) => hintAfterCommit(tx, 'jobs'));
  const other = openDatabase({ kind: 'url', url: kept.url });
  await other.transaction(async (tx) => hintAfterCommit(tx, 'jobs'));

  // When it began to listen, from its own commit, and from the server.
  await until(() => heard.length >= 3);
  assert.deepEqual(new Set(heard), new Set(['second']));
  await other.close();
  await second.close();
  await kept.release();
});
