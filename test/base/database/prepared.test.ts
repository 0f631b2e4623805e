import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Db } from '../../../src/base/database/database.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { postgresServerUrl } from '../../support/database/postgres-databases.ts';

// Runs alone: it checks what a process loads and remembers.

const skip =
  postgresServerUrl() === undefined ? 'statements of the embedded database have no connections' : false;
const OFTEN = 10;

async function rowsOf(db: Db): Promise<readonly object[]> {
  const { rows } = await sql<object>`select * from prepared_here where id = ${1}`.execute(db);
  return rows;
}

/** Runs the statement often, each time on the same connection, because no other one is busy. */
async function runOften(db: Db): Promise<void> {
  for (let run = 0; run < OFTEN; run += 1) await rowsOf(db);
}

test('a statement that runs often is prepared once on its connection', { skip }, async (t) => {
  const database = await openTestDatabase(t);
  await database.transaction((tx) => sql`create table prepared_here (id integer)`.execute(tx));

  await database.transaction(async (tx) => {
    await runOften(tx);
    const { rows } = await sql<{ runs: number }>`select generic_plans + custom_plans as runs
      from pg_prepared_statements where statement like ${'select * from prepared_here%'}`.execute(tx);

    assert.equal(rows.length, 1);
    assert.ok((rows[0]?.runs ?? 0) > 1, 'the prepared statement runs');
  });
});

test('a search for words is planned for its words each time', { skip }, async (t) => {
  const database = await openTestDatabase(t);

  await database.transaction(async (tx) => {
    for (let run = 0; run < OFTEN; run += 1)
      await sql`select id from issue_texts where words @@ cast(${'zephyr'} as tsquery)`.execute(tx);
    const { rows } = await sql`select name from pg_prepared_statements
      where statement like ${'%issue_texts where words%'}`.execute(tx);

    assert.deepEqual(rows, []);
  });
});

test('a change of a table ends the connections that cannot run its statements any more', {
  skip,
}, async (t) => {
  const database = await openTestDatabase(t);
  await database.transaction((tx) => sql`create table prepared_here (id integer)`.execute(tx));
  await database.transaction((tx) => sql`insert into prepared_here values (1)`.execute(tx));
  await runOften(database.reader);

  await database.transaction((tx) => sql`alter table prepared_here add column name text`.execute(tx));

  assert.deepEqual(await database.transaction(rowsOf), [{ id: 1, name: null }], 'a transaction runs again');
  assert.deepEqual(await rowsOf(database.reader), [{ id: 1, name: null }]);
});
