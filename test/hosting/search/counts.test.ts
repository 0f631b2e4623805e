import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { ANONYMOUS } from '../../../src/api/access/viewer.ts';
import type { Database, Tx } from '../../../src/base/database/database.ts';
import { ListPlanner } from '../../../src/hosting/repositories/listing/plan.ts';
import { versionOf } from '../../../src/hosting/repositories/store/selections.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { statementsOf } from '../../support/database/statements.ts';

const FILL = [
  `insert into accounts (id, kind, name, lower_name, full_name, email, created_at, updated_at, visibility)
    values (1, 'user', 'ada', 'ada', '', '', 0, 0, 'public'), (2, 'user', 'ben', 'ben', '', '', 0, 0, 'private')`,
  repository(1, 'engine'),
  repository(2, 'looms'),
  repository(3, 'cards'),
];

/** Each changes how many repositories with `e` in their names or topics everyone may see, which is 1 at first. */
const CHANGES: readonly (readonly [about: string, statement: string, total: number])[] = [
  ['a new repository', repository(4, 'wheels'), 2],
  ['a new name', "update repositories set name = 'weft', lower_name = 'weft' where id = 2", 3],
  ['a new topic', "update repositories set topics = ' spindle ' where id = 3", 4],
  ['a repository that becomes private', 'update repositories set is_private = 1 where id = 1', 3],
  ['another owner', 'update repositories set owner_id = 2 where id = 2', 2],
  ['an owner who becomes visible', "update accounts set visibility = 'public' where id = 2", 3],
  ['an owner who becomes invisible', "update accounts set visibility = 'private' where id = 1", 1],
  ['a deleted repository', 'delete from repositories where id = 2', 0],
];

test('the total of a search is remembered until it changes, and right after every kind of change', async (t) => {
  const database = await filledDatabase(t);
  const planner = new ListPlanner();
  const search = () =>
    statementsOf(database, (db) =>
      planner.list(
        db,
        ANONYMOUS,
        { words: [{ kind: 'text', text: 'e', inDescription: false }] },
        { page: 1, limit: 50 },
      ),
    );
  const countsIn = (statements: readonly CompiledQuery[]) =>
    // On SQLite, few remembered matches are counted again.
    statements.filter(({ sql }) => /count\(\*\)/.test(sql) && !/search_changes|json_each/.test(sql)).length;
  assert.equal((await search()).found.total, 1);
  for (const [about, statement, total] of CHANGES) {
    const again = await search();
    assert.equal(countsIn(again.statements), 0, `before ${about}: ${again.statements.map(({ sql }) => sql)}`);
    await database.transaction((tx) => run(tx, statement));
    const { found } = await search();
    assert.deepEqual([found.total, found.items.length], [total, total], about);
  }
});

test('changes that are committed in another order than they were made are seen one by one', async (t) => {
  const database = await openTestDatabase(t);
  if (database.dialect === 'sqlite') return t.skip('SQLite has one transaction at a time');
  for (const text of FILL) await database.transaction((tx) => run(tx, text));
  const seen = [await versionOf(database.reader)];
  const note = async () => seen.push(await versionOf(database.reader));
  await database.transaction(async (earlier) => {
    await run(earlier, "update repositories set topics = ' a ' where id = 1");
    await database.transaction((tx) => run(tx, "update repositories set topics = ' b ' where id = 2"));
    await note();
  });
  await note();
  assert.equal(new Set(seen).size, 3, seen.join('; '));
});

test('the rows that count changes for searches stay few', async (t) => {
  const database = await openTestDatabase(t);
  if (database.dialect === 'sqlite') return t.skip('SQLite counts them in one row');
  for (const text of FILL) await database.transaction((tx) => run(tx, text));
  for (let batch = 0; batch < 8; batch += 1)
    await database.transaction((tx) =>
      run(
        tx,
        `do $$ begin for i in 1..500 loop update repositories set topics = ' ' || i || ' ' where id = 1; end loop; end $$`,
      ),
    );
  const { rows } = await database.reader.executeQuery<{ rows: number }>(
    CompiledQuery.raw('select count(*)::int as rows from search_changes'),
  );
  assert.ok((rows[0]?.rows ?? 0) <= 1_001, JSON.stringify(rows));
});

async function filledDatabase(t: TestContext): Promise<Database> {
  const database = await openTestDatabase(t);
  for (const text of FILL) await database.transaction((tx) => run(tx, text));
  return database;
}

function run(tx: Tx, statement: string): Promise<unknown> {
  return tx.executeQuery(CompiledQuery.raw(statement));
}

function repository(id: number, name: string): string {
  return `insert into repositories (id, owner_id, name, lower_name, is_private, archived_at, created_at, updated_at)
    values (${id}, 1, '${name}', '${name}', 0, null, 0, 0)`;
}
