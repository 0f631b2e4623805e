import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from './tracker.ts';

const SUBSCRIPTIONS = `${ISSUES}/1/subscriptions`;

async function subscribers(who: Person | TestForge, at = SUBSCRIPTIONS): Promise<readonly string[]> {
  const { body, headers } = await who.get(at);
  assert.equal(headers.get('x-total-count'), String(body.length));
  return body.map(({ login }: Wire) => login);
}

async function isSubscribed(who: Person): Promise<boolean> {
  const { status, body } = await who.get(`${SUBSCRIPTIONS}/check`);
  assert.equal(status, 200);
  assert.equal(body.ignored, !body.subscribed);
  return body.subscribed;
}

test('PUT subscribes the named user and DELETE unsubscribes them: always 201 with an empty body, each change with an event', async (t) => {
  const { forge, ada, ben } = await startTracker(t);
  const { id } = await open(ada, 'One');
  const ofBen = `${SUBSCRIPTIONS}/ben`;
  assert.deepEqual(await subscribers(forge), []);

  for (const [method, who, listed] of [
    ['PUT', ben, ['ben']],
    ['PUT', ben, ['ben']],
    ['DELETE', ben, []],
    ['DELETE', ben, []],
    // In any case of the name.
    ['PUT', forge.root, ['ben']],
    ['DELETE', forge.root, []],
  ] as const) {
    const answer = await who.send(method, who === ben ? ofBen : `${SUBSCRIPTIONS}/Ben`);
    assert.deepEqual([answer.status, answer.text, answer.headers.get('content-type')], [201, '', null]);
    assert.deepEqual(await subscribers(forge), listed);
  }

  const about = { issueId: id, number: 1, isPull: false };
  assert.deepEqual(
    (await eventsOf(forge.forge.running.engines.database, 'issue.')).filter(({ kind }) =>
      /subscr/.test(kind),
    ),
    [
      { kind: 'issue.subscribed', actor: 'ben', ...about },
      { kind: 'issue.unsubscribed', actor: 'ben', ...about },
      { kind: 'issue.subscribed', actor: 'root', ...about },
      { kind: 'issue.unsubscribed', actor: 'root', ...about },
    ],
  );
});

test('only the named user or a site administrator changes a subscription: others get 403, and it stays as it is', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await open(ada, 'One');
  await ben.put(`${SUBSCRIPTIONS}/ben`);

  for (const method of ['PUT', 'DELETE']) {
    // Not even the owner of the repository.
    for (const who of [ada, cid]) {
      const denied = await who.send(method, `${SUBSCRIPTIONS}/ben`);
      assert.equal(denied.status, 403);
      assert.equal(denied.body.message, `${who.name} is not permitted to change subscriptions for ben`);
    }
    assert.equal((await forge.send(method, `${SUBSCRIPTIONS}/ben`)).status, 401);
    const publicOnly = { token: await forge.root.tokenFor(['all', 'public-only']) };
    assert.equal((await forge.send(method, `${SUBSCRIPTIONS}/ben`, { as: publicOnly })).status, 403);
    const reading = { token: await ben.tokenFor(['read:issue']) };
    assert.equal((await forge.send(method, `${SUBSCRIPTIONS}/ben`, { as: reading })).status, 403);
  }
  assert.deepEqual(await subscribers(ada), ['ben']);
});

test('an unknown issue or user is answered with 404, and so is a hidden one', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const hidden = await forge.account('hidden', { visibility: 'private' });
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await open(ada, 'One');
  await ada.repository('other', { private: true });
  await open(ada, 'Theirs', {}, '/api/v1/repos/ada/other/issues');
  const missing = [
    ...['99', '0', 'x', '9'.repeat(30)].map((number) => `${ISSUES}/${number}/subscriptions`),
    '/api/v1/repos/ada/missing/issues/1/subscriptions',
    '/api/v1/repos/ada/other/issues/1/subscriptions',
  ];

  for (const url of missing) {
    assert.equal((await ben.get(url)).status, 404, url);
    assert.equal((await ben.get(`${url}/check`)).status, 404, url);
    for (const method of ['PUT', 'DELETE'])
      assert.equal((await ben.send(method, `${url}/ben`)).status, 404, url);
  }
  // The issue of one repository is no issue of another one.
  assert.equal((await ada.get('/api/v1/repos/ada/other/issues/2/subscriptions')).status, 404);
  for (const name of ['no-such-user', 'guild', 'hidden', 'a%20b'])
    assert.equal((await cid.put(`${SUBSCRIPTIONS}/${name}`)).status, 404, name);
  assert.equal((await hidden.put(`${SUBSCRIPTIONS}/hidden`)).status, 201);
  assert.deepEqual(await subscribers(hidden), ['hidden']);
  assert.deepEqual(await subscribers(cid), [], 'a hidden account is in no list of others');
});

test('the list has explicit subscribers only: neither who watches the repository nor who takes part', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await open(ben, 'One');
  await cid.put(`${ENGINE}/subscription`);
  const dan = await forge.account('dan');
  assert.equal(await isSubscribed(dan), false);
  await dan.post(`${ISSUES}/1/comments`, { body: 'Mine, too' });
  assert.equal(await isSubscribed(dan), true, 'with a comment');

  assert.deepEqual(await subscribers(ada), []);
  // They do get notifications, unless they say otherwise.
  for (const who of [ada, ben, cid]) assert.equal(await isSubscribed(who), true, who.name);
  for (const who of [ada, ben, cid]) await who.delete(`${SUBSCRIPTIONS}/${who.name}`);
  for (const who of [ada, ben, cid]) assert.equal(await isSubscribed(who), false, who.name);
  assert.deepEqual(await subscribers(ada), []);
  const watched = await cid.get(`${ENGINE}/subscription`);
  assert.deepEqual(
    [watched.status, watched.body.subscribed],
    [200, true],
    'the repository is another matter',
  );
  for (const who of [cid, ada]) await who.put(`${SUBSCRIPTIONS}/${who.name}`);
  await cid.delete(`${ENGINE}/subscription`);
  assert.equal(await isSubscribed(cid), true);
  assert.deepEqual((await subscribers(ada)).toSorted(), ['ada', 'cid']);
});

test('the check answers 200 in any case, in the form of a watch', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  const issue = await open(ada, 'One');

  const { status, body } = await cid.get(`${SUBSCRIPTIONS}/check`);

  assert.equal(status, 200);
  assert.deepEqual(body, {
    subscribed: false,
    ignored: true,
    reason: null,
    created_at: issue.created_at,
    url: `${forge.url}${SUBSCRIPTIONS}`,
    repository_url: `${forge.url}${ENGINE}`,
  });
  assert.equal((await forge.get(`${SUBSCRIPTIONS}/check`)).status, 401);
});

test('the list is paged with its total and without links', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await open(ada, 'One');
  for (const who of [ada, ben, cid]) await who.put(`${SUBSCRIPTIONS}/${who.name}`);

  const pages = await Promise.all([1, 2].map((page) => forge.get(`${SUBSCRIPTIONS}?limit=2&page=${page}`)));

  assert.deepEqual(
    pages.map(({ body }) => body.length),
    [2, 1],
  );
  for (const { headers } of pages) {
    assert.equal(headers.get('x-total-count'), '3');
    assert.equal(headers.get('link'), null);
    assert.equal(headers.get('access-control-expose-headers'), 'X-Total-Count');
  }
});

test('a subscription changes in an archived repository, too, and not without the tracker', async (t) => {
  const { ada, ben } = await startTracker(t);
  await open(ada, 'One');
  const change = async () => [
    (await ben.put(`${SUBSCRIPTIONS}/ben`)).status,
    (await ben.delete(`${SUBSCRIPTIONS}/ben`)).status,
  ];

  await ada.patch(ENGINE, { archived: true });
  assert.deepEqual(await change(), [201, 201]);
  assert.equal(await isSubscribed(ben), false);
  await ada.patch(ENGINE, { archived: false, has_issues: false });
  assert.deepEqual(await change(), [404, 404]);
});

test('the list leaves out accounts that are not active, may not sign in or no longer see the issue', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const dan = await forge.account('dan');
  await open(ada, 'One');
  for (const who of [ada, ben, cid, dan]) await who.put(`${SUBSCRIPTIONS}/${who.name}`);
  assert.equal((await subscribers(ada)).length, 4);
  const set = async (name: string, fields: object) =>
    assert.equal((await forge.root.patch(`/api/v1/admin/users/${name}`, fields)).status, 200);

  await set('ben', { active: false });
  await set('dan', { prohibit_login: true });
  assert.deepEqual((await subscribers(ada)).toSorted(), ['ada', 'cid']);
  await set('ben', { active: true });
  await set('dan', { prohibit_login: false });
  await ada.patch(ENGINE, { private: true });
  assert.deepEqual((await subscribers(ada)).toSorted(), ['ada', 'ben']);
  await ada.put(`${ENGINE}/collaborators/cid`, { permission: 'read' });
  assert.deepEqual(
    (await subscribers(ada)).toSorted(),
    ['ada', 'ben', 'cid'],
    'it comes back with the access',
  );
  assert.equal((await ada.delete(`${ISSUES}/1`)).status, 204);
  assert.equal((await forge.root.delete('/api/v1/admin/users/ben?purge=true')).status, 204);
});
