import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../../../src/base/database/fragment.ts';
import { query } from '../../../src/base/database/query.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from './tracker.ts';

const FILTERS = ['labels=bug', 'assigned_by=ben', 'mentioned_by=ben'];
const SINCE = 'since=2021-01-01T00:00:00Z';
const BEFORE = 'before=2021-01-01T00:00:00Z';
const OLD_MS = Date.parse('2020-01-01T00:00:00Z');

test('lists by a label, an assignee or a mention follow every change of an issue, in their order and in their time', async (t) => {
  const { forge, ada } = await startTracker(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'f00' })).body.id;
  for (const title of ['One', 'Two', 'Three'])
    await open(ada, title, { body: 'For @ben', labels: [label], assignees: ['ben'] });
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => query(tx, raw(`update issues set updated_at = ${OLD_MS}`)));
  const lists = (query: string, numbers: readonly number[]) =>
    Promise.all(
      FILTERS.map(async (filter) => {
        const answer = await ada.get(`${ISSUES}?${filter}&${query}`);
        const found = answer.body.map(({ number }: Wire) => number);
        assert.deepEqual(found, numbers, `${filter}&${query}`);
        assert.equal(answer.headers.get('x-total-count'), String(numbers.length), `${filter}&${query}`);
      }),
    );
  await lists(SINCE, []);
  await lists(`${BEFORE}&sort=recentupdate`, [3, 2, 1]);
  await lists(`${BEFORE}&sort=leastupdate`, [1, 2, 3]);

  await ada.post(`${ISSUES}/1/comments`, { body: 'It leaks' });
  await lists(SINCE, [1]);
  await lists(BEFORE, [3, 2]);
  await lists('sort=recentupdate', [1, 3, 2]);
  await lists('sort=leastupdate', [2, 3, 1]);

  await ada.patch(`${ISSUES}/2`, { state: 'closed' });
  await lists(SINCE, [1]);
  await lists(`state=closed&${SINCE}`, [2]);
  await lists(`state=all&${SINCE}`, [2, 1]);
  await lists(`state=all&${BEFORE}`, [3]);

  await ada.delete(`${ISSUES}/1`);
  await lists(`state=all&${SINCE}`, [2]);
  await ada.patch(`${ISSUES}/2`, { state: 'open' });
  await lists('sort=recentupdate', [2, 3]);
  await ada.delete(`${ISSUES}/2/labels/${label}`);
  await ada.post(`${ISSUES}/2/labels`, { labels: [label] });
  await lists(SINCE, [2]);
});

test('an issue with two labels of one name is listed and counted once, in the order of the changes', async (t) => {
  const { ada } = await startTracker(t);
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post('/api/v1/orgs/guild/repos', { name: 'engine' });
  const url = '/api/v1/repos/guild/engine';
  const ids = [
    (await ada.post('/api/v1/orgs/guild/labels', { name: 'bug', color: 'f00' })).body.id,
    (await ada.post(`${url}/labels`, { name: 'bug', color: 'f00' })).body.id,
  ];
  for (const labels of [ids, ids.slice(0, 1), ids.slice(1)])
    await open(ada, 'Made', { labels }, `${url}/issues`);
  for (const query of ['sort=leastupdate', 'sort=oldest', 'sort=leastupdate&since=2021-01-01T00:00:00Z']) {
    const answer = await ada.get(`${url}/issues?labels=bug&${query}`);
    const numbers = answer.body.map(({ number }: Wire) => number);
    assert.deepEqual(numbers, [1, 2, 3], query);
    assert.equal(answer.headers.get('x-total-count'), '3', query);
  }
});
