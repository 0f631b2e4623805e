import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { request } from '../http/http.ts';
import { startForge, type TestForge, type TestForgeOptions } from './forge.ts';

/** Settings that no other file asks for, so that these tests get a forge that only they have used. */
const OF_THIS_FILE = { adminEmail: 'kept@example.org' };

/** Uses a forge in one test, and returns what `use` returns once the test has ended. */
async function inTest<T>(
  t: TestContext,
  use: (forge: TestForge) => Promise<T>,
  options: TestForgeOptions = { settings: OF_THIS_FILE },
): Promise<T> {
  const used: T[] = [];
  await t.test('a use', async (inner) => {
    used.push(await use(await startForge(inner, options)));
  });
  const [result] = used;
  assert.ok(result !== undefined, 'the use has failed');
  return result;
}

const urlOf = async ({ url }: TestForge): Promise<string> => url;

/** Lists the rows of a forge by table, without those that count on. */
async function rowsOf(forge: TestForge): Promise<Record<string, unknown>> {
  const { reader } = forge.forge.running.engines.database;
  const rows = {
    accounts: await reader.selectFrom('accounts').selectAll().execute(),
    emails: await reader.selectFrom('account_emails').selectAll().execute(),
    tokens: await reader.selectFrom('tokens').selectAll().execute(),
    events: await reader.selectFrom('events').selectAll().orderBy('position').execute(),
    jobs: await reader
      .selectFrom('jobs')
      .select(['id', 'kind', 'leased_by', 'attempts'])
      .orderBy('id')
      .execute(),
    repositories: await reader.selectFrom('repositories').select('id').execute(),
    folders: await reader.selectFrom('git_repositories').select('id').execute(),
    removed: await reader.selectFrom('git_removed').selectAll().execute(),
    issues: await reader.selectFrom('issues').select('id').execute(),
  };
  return rows;
}

async function fill(forge: TestForge): Promise<{ url: string; id: number }> {
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine', { auto_init: true, description: 'A loom' });
  await ada.post('/api/v1/repos/ada/engine/issues', { title: 'Weave', body: '@root' });
  await forge.root.patch('/api/v1/user/settings', { full_name: 'The Root' });
  const { body } = await ada.get('/api/v1/repos/search?q=engine');
  assert.deepEqual(
    body.data.map((found: { id: number }) => found.id),
    [id],
  );
  return { url: forge.url, id };
}

test('the next test gets a forge with the rows and files of its start, whose ids count on', async (t) => {
  const first = await inTest(t, async (forge) => ({ url: forge.url, rows: await rowsOf(forge) }));
  const filled = await inTest(t, fill);

  const again = await inTest(t, async (forge) => {
    const rows = await rowsOf(forge);
    const { dataFolder } = forge.forge;
    const folders = [await readdir(join(dataFolder, 'git')), await readdir(join(dataFolder, 'objects'))];
    assert.deepEqual((await forge.get('/api/v1/repos/search?q=engine')).body.data, []);
    return { url: forge.url, rows, folders, filled: await fill(forge) };
  });

  assert.deepEqual([filled.url, again.url], [first.url, first.url]);
  assert.deepEqual(again.rows, first.rows);
  assert.deepEqual(again.folders, [[], ['.incoming']]);
  assert.ok(again.filled.id > filled.id);
});

test('an ended test lets go of its forge, which would stay in memory with the function of the test', async (t) => {
  const ended = await inTest(t, async (forge) => forge);

  assert.throws(() => ended.forge, /the test that started this forge has ended/);
  assert.throws(() => ended.stopAfterTest(), /the test that started this forge has ended/);
});

test('two forges of one test are two', async (t) => {
  const [one, other] = [await startForge(t), await startForge(t)];
  assert.notEqual(one.url, other.url);
});

test('a test gets no forge with other settings, and no used one if it asks for a fresh one', async (t) => {
  const url = await inTest(t, urlOf);
  const settings = { ...OF_THIS_FILE, forcePrivate: 'true' };
  assert.notEqual(await inTest(t, urlOf, { settings }), url);
  assert.notEqual(await inTest(t, urlOf, { settings: OF_THIS_FILE, fresh: true }), url);
  assert.equal(await inTest(t, urlOf), url);
});

const SPOILING: Record<string, (forge: TestForge) => Promise<unknown>> = {
  'has counted a wrong password': (forge) =>
    forge.get('/api/v1/user', { as: { name: 'root', password: 'wrong' } }),
  'has stopped its jobs': (forge) => forge.forge.running.services.jobs.stop(),
  'has stopped': (forge) => forge.forge.stop(),
  'has another schema': (forge) =>
    forge.forge.running.engines.database.transaction((tx) =>
      sql`create index extra on topics (created_at)`.execute(tx),
    ),
  'is said to be changed': async (forge) => forge.stopAfterTest(),
};

for (const [what, spoil] of Object.entries(SPOILING)) {
  test(`a forge that ${what} stops after the test`, async (t) => {
    const url = await inTest(t, async (forge) => {
      await spoil(forge);
      return forge.url;
    });
    await assert.rejects(request('GET', `${url}/api/v1/version`), { code: 'ECONNREFUSED' });
  });
}
