import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { ENGINE, ISSUE, ISSUES, mergePull, openPull, PULL, startMixed } from '../issues/kinds/mixed.ts';
import type { Wire } from '../issues/tracker.ts';

const ALL = '/api/v1/notifications';

const subjectsOf = async (who: Person, query = 'all=true'): Promise<readonly Wire[]> =>
  (await who.get(`${ALL}?${query}`)).body.map(({ subject }: Wire) => subject);

/** The last parts of the addresses of subjects, such as `pulls/2`. */
const pagesOf = async (who: Person, query?: string) =>
  (await subjectsOf(who, query)).map(({ html_url }) => html_url.split('/').slice(-2).join('/'));

test('watchers are notified of the kinds that they may read, and see only those', async (t) => {
  const { forge, ada, ida, pia, bob, comments } = await startMixed(t);
  for (const who of [ida, pia, bob]) assert.equal((await who.put(`${ENGINE}/subscription`)).status, 200);
  const both = [`pulls/${PULL}`, `issues/${ISSUE}`];
  for (const number of [ISSUE, PULL]) await ada.patch(`${ISSUES}/${number}`, { state: 'closed' });
  await until(async () => (await pagesOf(bob)).length === 2);

  assert.deepEqual(await pagesOf(bob), both);
  assert.deepEqual(await pagesOf(ida), [`issues/${ISSUE}`]);
  assert.deepEqual(await pagesOf(pia), [`pulls/${PULL}`]);
  assert.deepEqual(await pagesOf(bob, 'subject-type=pull'), [`pulls/${PULL}`]);
  assert.deepEqual(await pagesOf(bob, 'subject-type=issue'), [`issues/${ISSUE}`]);
  const [pull] = await subjectsOf(bob);
  const page = `${forge.url}/guild/engine/pulls/${PULL}`;
  const { latest_comment_html_url: latest, ...subject } = pull;
  assert.equal(latest, `${page}#issuecomment-${comments[PULL]}`);
  assert.deepEqual(subject, {
    ...{ title: 'A pull request', url: `${forge.url}${ISSUES}/${PULL}`, html_url: page },
    latest_comment_url: `${forge.url}${ISSUES}/comments/${comments[PULL]}`,
    ...{ type: 'Pull', state: 'closed' },
  });
  await ada.patch(`${ISSUES}/${PULL}`, { state: 'open' });
  await mergePull(ada, PULL);
  assert.deepEqual(
    (await subjectsOf(bob)).map(({ state }) => state),
    ['merged', 'closed'],
  );

  await ada.patch(ENGINE, { has_issues: false });
  assert.deepEqual(await pagesOf(bob), [`pulls/${PULL}`]);
  assert.deepEqual(await pagesOf(ida), []);
  assert.deepEqual((await bob.get(`${ALL}/new`)).body, { new: 1 });
  await openPull(ada, 'Another');
  await until(async () => (await pagesOf(pia)).length === 2);
  assert.deepEqual(await pagesOf(pia), ['pulls/3', `pulls/${PULL}`]);
  await ada.patch(ENGINE, { has_issues: true, has_pull_requests: false });
  assert.deepEqual(await pagesOf(bob), [`issues/${ISSUE}`]);
  assert.deepEqual(await pagesOf(pia), []);
  assert.equal((await bob.put(ALL)).body.length, 1);
});

test('subscribers of a pull request are those who may read it', async (t) => {
  const { ada, ida, pia } = await startMixed(t);
  const subscribed = async () =>
    (await ada.get(`${ISSUES}/${PULL}/subscriptions`)).body.map(({ login }: Wire) => login);
  assert.equal((await pia.put(`${ISSUES}/${PULL}/subscriptions/pia`)).status, 201);
  assert.equal((await ida.put(`${ISSUES}/${PULL}/subscriptions/ida`)).status, 404);
  assert.deepEqual(await subscribed(), ['pia']);
  const teams = (await ada.get('/api/v1/orgs/guild/teams')).body;
  const mergers = teams.find(({ name }: Wire) => name === 'mergers').id;
  await ada.patch(`/api/v1/teams/${mergers}`, { name: 'mergers', units_map: { 'repo.issues': 'write' } });
  assert.deepEqual(await subscribed(), []);
});
