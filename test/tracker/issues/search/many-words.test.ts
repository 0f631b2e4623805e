import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragment, raw } from '../../../../src/base/database/fragment.ts';
import { query } from '../../../../src/base/database/query.ts';
import { setTexts } from '../../../../src/tracker/issues/search/store/words.ts';
import { numbersAt, open, startTracker, type Tracker, type Wire } from '../tracker.ts';

const SEARCH = '/api/v1/repos/issues/search';
const OLD = 3_100;
/** More than a search over all repositories looks at. */
const NEW = 5_100;
const COUNT = OLD + NEW;
/** Of these, a search looks up several words only if it can look at all texts with them together. */
const HOMES = 11;

/** In `ada/engine`, 3,100 issues of Ben and then 5,100 of Ada, each with the word `made` in its text. */
async function makeIssues({ forge, ada, ben }: Tracker): Promise<void> {
  const repository = (await ada.get('/api/v1/repos/ada/engine')).body.id;
  const [adaId, benId] = [(await ada.get('/api/v1/user')).body.id, (await ben.get('/api/v1/user')).body.id];
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await query(
      tx,
      fragment`insert into issues (repository_id, number, author_id, title, body, created_at, updated_at)
        with recursive n (v) as (select 1 union all select v + 1 from n where v < ${COUNT})
        select ${repository}, v, case when v <= ${OLD} then cast(${benId} as bigint) else cast(${adaId} as bigint) end,
          'Pump', 'Made of tin', 0, 0 from n order by v`,
    );
    await query(
      tx,
      fragment`insert into issue_assignees (issue_id, subject_id, repository_id, is_pull, is_closed, updated_at)
        select id, cast(${benId} as bigint), repository_id, is_pull, is_closed, updated_at
        from issues where repository_id = ${repository} and number % 10 = 0`,
    );
    const rows = await query<{ id: number }>(
      tx,
      fragment`select id from issues where repository_id = ${repository}`,
    );
    const words = { heading: ['t·pump'], title: ['pump'], body: ['made', 'of', 'tin'] };
    await setTexts(
      tx,
      'issue',
      rows.map(({ id }) => ({ id: Number(id), repositoryId: repository, words })),
    );
    await query(
      tx,
      fragment`update repositories set last_issue_number = ${COUNT}, open_issues_count = ${COUNT} where id = ${repository}`,
    );
  });
  // A server in use does this by itself.
  if (database.dialect === 'postgres') await query(database.reader, raw('analyze'));
}

test('a frequent word finds the issues of a user that are older than all texts at which a search looks', async (t) => {
  const tracker = await startTracker(t);
  const { ben, cid } = tracker;
  await makeIssues(tracker);
  const newest = Array.from({ length: 50 }, (_, at) => OLD - at);
  const found = async (query: string) => {
    const { body, headers } = await ben.get(`${SEARCH}?${query}&limit=50`);
    return [body.map(({ number }: Wire) => number), headers.get('x-total-count')];
  };

  assert.deepEqual(await found('created=true&q=made'), [newest, '1000']);
  assert.deepEqual(await found('created=true&q=%22made+of%22'), [newest, '1000']);
  assert.deepEqual(await found('created=true&assigned=true&q=pump'), [
    newest.map((each) => OLD - (OLD - each) * 10),
    '310',
  ]);
  assert.deepEqual(await found('created=true&q=made+absent'), [[], '0']);
  const said = await ben.post('/api/v1/repos/ada/engine/issues/3050/comments', { body: 'Rust is made here' });
  assert.equal(said.status, 201, said.text);
  assert.deepEqual(await found('created=true&q=rust'), [[3_050], '1']);
  assert.deepEqual(await numbersAt(cid, `${SEARCH}?created=true&q=made`), []);
});

test('a search in several repositories of an owner finds a word in old issues, and in those of no other owner', async (t) => {
  const tracker = await startTracker(t);
  const { ada, ben } = tracker;
  const created = await ada.post('/api/v1/orgs', { username: 'guild' });
  assert.equal(created.status, 201, created.text);
  const titles = [];
  for (let at = 0; at < HOMES; at += 1) {
    assert.equal((await ada.post('/api/v1/orgs/guild/repos', { name: `r${at}` })).status, 201);
    await open(ada, `Made ${at}`, { body: 'Copper' }, `/api/v1/repos/guild/r${at}/issues`);
    titles.unshift(`Made ${at}`);
  }
  await makeIssues(tracker);
  await open(ada, 'Coppery', {}, '/api/v1/repos/ada/engine/issues');
  const titlesAt = async (query: string) =>
    (await ben.get(`${SEARCH}?owner=guild&${query}`)).body.map(({ title }: Wire) => title);

  for (const query of ['q=made', 'q=copper', 'q=copp', 'q=made+copper'])
    assert.deepEqual(await titlesAt(query), titles, query);
  assert.deepEqual(await titlesAt('q=pump'), []);
  const said = await ben.post('/api/v1/repos/guild/r3/issues/1/comments', { body: 'A pump' });
  assert.equal(said.status, 201, said.text);
  assert.deepEqual(await titlesAt('q=pump'), ['Made 3']);
});
