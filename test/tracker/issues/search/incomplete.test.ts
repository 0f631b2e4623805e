import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragment, raw } from '../../../../src/base/database/fragment.ts';
import { query } from '../../../../src/base/database/query.ts';
import { ISSUE_LIMITS } from '../../../../src/tracker/issues/limits.ts';
import { INDEXING_JOB, setTexts } from '../../../../src/tracker/issues/search/store/words.ts';
import type { Person } from '../../../support/forge/forge.ts';
import { ISSUES, open, startTracker, type Tracker } from '../tracker.ts';

const SEARCH = '/api/v1/repos/issues/search';
const FOUND_MAX = 1_000;
const LATER_MS = 60 * 60_000;

/** Adds issues with the word `made` in their texts as rows. */
async function makeIssues({ forge, ada }: Tracker, count: number): Promise<number> {
  const repository: number = (await ada.get('/api/v1/repos/ada/engine')).body.id;
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    const rows = await query<{ id: number }>(
      tx,
      fragment`insert into issues (repository_id, number, title, body, created_at, updated_at)
        with recursive n (v) as (select 1 union all select v + 1 from n where v < ${count})
        select ${repository}, v, 'Pump', 'made', 0, 0 from n order by v returning id`,
    );
    const words = { heading: ['t·pump'], title: ['pump'], body: ['made'] };
    await setTexts(
      tx,
      'issue',
      rows.map(({ id }) => ({ id: Number(id), repositoryId: repository, words })),
    );
    await query(
      tx,
      fragment`update repositories set last_issue_number = ${count}, open_issues_count = ${count} where id = ${repository}`,
    );
  });
  return repository;
}

async function isIncomplete(who: Person, url: string): Promise<boolean> {
  const { status, headers } = await who.get(url);
  assert.equal(status, 200);
  const isSaid = headers.get('x-search-incomplete') === 'true';
  assert.equal(headers.get('access-control-expose-headers')?.includes('X-Search-Incomplete'), isSaid);
  return isSaid;
}

test('a search says that it is incomplete if it finds as many issues as it can, and more match', async (t) => {
  const tracker = await startTracker(t);
  const { ada } = tracker;
  await makeIssues(tracker, FOUND_MAX);
  const made = encodeURIComponent('"made"');
  const urls = [
    `${ISSUES}?q=mad`,
    `${SEARCH}?q=made`,
    `${ISSUES}?q=${made}`,
    `${SEARCH}?q=${made}`,
    `${SEARCH}?owner=ada`,
    `${SEARCH}?q=${made}&state=all`,
  ];

  for (const url of urls) assert.equal(await isIncomplete(ada, url), false, url);
  await open(ada, 'Tank', { body: 'Made of tin' });
  for (const url of urls) assert.equal(await isIncomplete(ada, url), true, url);
  assert.equal((await ada.get(`${ISSUES}?q=${made}`)).headers.get('x-total-count'), String(FOUND_MAX));
  const tank = encodeURIComponent('"tank"');
  for (const url of [ISSUES, `${ISSUES}?q=${tank}`, `${SEARCH}?q=${tank}`, `${ISSUES}?labels=absent&q=made`])
    assert.equal(await isIncomplete(ada, url), false, url);
});

test('a search for the beginning of a word finds all words that begin so, and says so', async (t) => {
  const { ada } = await startTracker(t);
  const words = Array.from({ length: 30 }, (_, at) => `pump${'x'.repeat(at)}`);
  for (const word of words) await open(ada, 'Parts', { body: `Here is ${word}` });
  await ada.post(`${ISSUES}/1/comments`, { body: words.join(' ') });
  const totals: Readonly<Record<string, number>> = {
    pum: 30,
    pump: 30,
    pumpxxxxx: 25,
    'par pum here is': 30,
  };

  for (const [query, total] of Object.entries(totals)) {
    for (const at of [ISSUES, SEARCH]) {
      const url = `${at}?q=${encodeURIComponent(query)}`;
      assert.equal(await isIncomplete(ada, url), false, url);
      // The comment has all words, and the issue of the comment is found only once.
      const found = query === 'pumpxxxxx' ? total + 1 : total;
      assert.equal((await ada.get(url)).headers.get('x-total-count'), String(found), url);
    }
  }
});

test('a search says that it is incomplete until all texts are indexed, which a job does again', async (t) => {
  const tracker = await startTracker(t);
  const { forge, ada } = tracker;
  const { database } = forge.forge.running.engines;
  const repository = (await ada.get('/api/v1/repos/ada/engine')).body.id;
  await open(ada, 'The pump leaks');
  await ada.post(`${ISSUES}/1/comments`, { body: 'Near the tank' });
  await database.transaction(async (tx) => {
    const isOnSqlite = database.dialect === 'sqlite';
    for (const table of ['issue_texts', 'comment_texts'])
      await query(tx, raw(isOnSqlite ? `delete from ${table} where rowid > 0` : `delete from ${table}`));
    await query(
      tx,
      fragment`insert into jobs (kind, key, payload, run_at, created_at) values
        (${INDEXING_JOB}, ${String(repository)}, ${JSON.stringify({ repositoryId: repository })}, ${Date.now() + LATER_MS}, 0)`,
    );
  });

  for (const url of [`${ISSUES}?state=all&q=%22pump%22`, `${SEARCH}?state=all&q=%22tank%22`]) {
    assert.deepEqual((await ada.get(url)).body, []);
    assert.equal(await isIncomplete(ada, url), true, url);
  }
  await forge.forge.running.services.jobs.runDue({ aheadMs: 2 * LATER_MS });
  for (const url of [`${ISSUES}?state=all&q=%22pump%22`, `${SEARCH}?state=all&q=%22tank%22`]) {
    assert.equal((await ada.get(url)).body.length, 1);
    assert.equal(await isIncomplete(ada, url), false, url);
  }
});

test('a search says that it is incomplete if more reviews have the words than it looks at', async (t) => {
  const tracker = await startTracker(t);
  const { forge, ada } = tracker;
  const { database } = forge.forge.running.engines;
  const repositoryId: number = (await ada.get('/api/v1/repos/ada/engine')).body.id;
  const { id: issueId } = await open(ada, 'Parts');
  const { textsSearchedLessOnPostgresql: less, commentsCheckedMax } = ISSUE_LIMITS;
  const countMax = database.dialect === 'sqlite' ? commentsCheckedMax : commentsCheckedMax / less;
  const add = (count: number) =>
    database.transaction(async (tx) => {
      const rows = await query<{ id: number }>(
        tx,
        fragment`insert into issue_entries (issue_id, repository_id, kind, body, details, created_at, updated_at)
          with recursive n (v) as (select 1 union all select v + 1 from n where v < ${count})
          select ${issueId}, ${repositoryId}, 'review', 'made', '{}', 0, 0 from n returning id`,
      );
      const words = { body: ['made'] };
      await setTexts(
        tx,
        'comment',
        rows.map(({ id }) => ({ id: Number(id), repositoryId, words })),
      );
    });

  await add(countMax);
  assert.equal(await isIncomplete(ada, `${ISSUES}?q=made&state=all`), false);
  await add(1);
  assert.equal(await isIncomplete(ada, `${ISSUES}?q=made&state=all`), true);
  assert.equal(await isIncomplete(ada, `${ISSUES}?q=absent&state=all`), false);
});
