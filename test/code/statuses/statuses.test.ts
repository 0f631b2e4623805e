import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { STATUS_LIMITS } from '../../../src/code/statuses/limits.ts';
import { REPOSITORY_LIMITS } from '../../../src/hosting/repositories/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';

const ENGINE = '/api/v1/repos/ada/engine';

async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const [commit] = (await ada.get(`${ENGINE}/contents/README.md`)).body.last_commit_sha.match(/.+/);
  const report = (body: Record<string, unknown>, sha: string = commit) =>
    ada.post(`${ENGINE}/statuses/${sha}`, body);
  return { forge, ada, commit: String(commit), report };
}

async function statesAt(who: Person | TestForge, path: string): Promise<readonly string[]> {
  const answer = await who.get(path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.map(
    (status: { context: string; status: string }) => `${status.context} ${status.status}`,
  );
}

test('a status has all its fields, a creator and a number within its commit', async (t) => {
  const { forge, ada, commit, report } = await startEngine(t);

  const answer = await report({
    state: 'success',
    context: 'ci/test',
    description: 'All passed',
    target_url: 'https://ci.example/1',
  });

  assert.equal(answer.status, 201, answer.text);
  const { created_at, updated_at, creator, ...rest } = answer.body;
  assert.equal(created_at, updated_at);
  assert.equal(creator.login, 'ada');
  assert.deepEqual(rest, {
    id: 1,
    status: 'success',
    target_url: 'https://ci.example/1',
    description: 'All passed',
    url: `${forge.url}${ENGINE}/statuses/${commit}`,
    context: 'ci/test',
  });
  assert.deepEqual((await ada.get(`${ENGINE}/statuses/${commit}`)).body, [answer.body]);
  const { database } = forge.forge.running.engines;
  assert.deepEqual(await eventsOf(database, 'status.'), [
    { kind: 'status.created', actor: 'ada', commit, context: 'ci/test', state: 'success' },
  ]);
});

test('a status without a context has the context `default`, and empty texts', async (t) => {
  const { report } = await startEngine(t);

  const { body } = await report({ state: 'pending' });

  assert.deepEqual([body.context, body.description, body.target_url], ['default', '', '']);
  assert.equal((await report({ state: 'pending', context: ' ' })).body.context, 'default');
});

test('a status with an unknown state, a long text or an address that is not of the web is rejected', async (t) => {
  const { ada, commit, report } = await startEngine(t);
  const bad: readonly Record<string, unknown>[] = [
    {},
    { state: '' },
    { state: 'great' },
    { state: 'Success' },
    { state: 7 },
    { state: 'success', target_url: 'javascript:alert(1)' },
    { state: 'success', target_url: 'ci.example/1' },
    {
      state: 'success',
      target_url: `https://ci.example/${'x'.repeat(REPOSITORY_LIMITS.externalUrlCharsMax)}`,
    },
    { state: 'success', context: 'x'.repeat(STATUS_LIMITS.statusContextCharsMax + 1) },
    { state: 'success', context: 'a\nb' },
    { state: 'success', description: 'x'.repeat(STATUS_LIMITS.statusDescriptionCharsMax + 1) },
    { state: 'success', description: 'nul \0' },
  ];

  for (const body of bad) {
    const answer = await report(body);
    assert.equal(answer.status, 422, JSON.stringify(body).slice(0, 60));
  }

  assert.deepEqual(await statesAt(ada, `${ENGINE}/statuses/${commit}`), []);
});

test('statuses are listed latest first or oldest first, by state and in pages', async (t) => {
  const { forge, ada, commit, report } = await startEngine(t);
  for (const [context, state] of [
    ['a', 'pending'],
    ['b', 'success'],
    ['a', 'failure'],
  ])
    await report({ context, state });
  const list = `${ENGINE}/commits/main/statuses`;

  const latestFirst = ['a failure', 'b success', 'a pending'];
  for (const sort of ['', 'recentupdate', 'highestindex', 'nonsense'])
    assert.deepEqual(await statesAt(ada, `${list}?sort=${sort}`), latestFirst, sort);
  for (const sort of ['oldest', 'leastupdate', 'leastindex'])
    assert.deepEqual(await statesAt(ada, `${list}?sort=${sort}`), latestFirst.toReversed(), sort);
  assert.deepEqual(await statesAt(ada, `${list}?state=success`), ['b success']);
  assert.deepEqual(await statesAt(ada, `${list}?state=skipped`), []);
  assert.deepEqual(await statesAt(ada, `${list}?state=warning`), []);
  assert.deepEqual(await statesAt(ada, `${list}?state=nonsense`), latestFirst);
  const second = await ada.get(`${ENGINE}/statuses/${commit}?limit=2&page=2`);
  assert.equal(second.headers.get('x-total-count'), '3');
  assert.deepEqual(
    second.body.map(({ id }: { id: number }) => id),
    [1],
  );
  assert.deepEqual(await statesAt(forge, `${list}?limit=1`), ['a failure']);
  assert.equal((await report({ context: 'c', state: 'skipped' })).status, 201);
  assert.deepEqual(await statesAt(forge, `${list}?state=skipped`), ['c skipped']);
});

test('the combined status has the latest status of each context, and fails, is pending or succeeds', async (t) => {
  const { forge, ada, commit, report } = await startEngine(t);
  const combined = async (ref = 'main', query = '') => {
    const answer = await ada.get(`${ENGINE}/commits/${ref}/status${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };

  const none = await combined();
  assert.deepEqual([none.state, none.total_count, none.statuses, none.sha], ['', 0, [], commit]);
  const steps: readonly [string, string, string][] = [
    ['a', 'success', 'success'],
    ['b', 'pending', 'pending'],
    ['b', 'warning', 'success'],
    ['b', 'skipped', 'success'],
    ['c', 'failure', 'failure'],
    ['d', 'error', 'failure'],
    ['c', 'success', 'failure'],
    ['d', 'success', 'success'],
    ['d', 'skipped', 'success'],
    ['d', 'success', 'success'],
    ['b', 'success', 'success'],
  ];
  for (const [context, state, expected] of steps) {
    await report({ context, state });
    assert.equal((await combined(commit)).state, expected, `${context} ${state}`);
  }

  const all = await combined();
  assert.equal(all.total_count, 4);
  assert.deepEqual(
    all.statuses.map((each: { context: string; status: string }) => `${each.context} ${each.status}`),
    ['a success', 'b success', 'c success', 'd success'],
  );
  assert.equal(all.repository.full_name, 'ada/engine');
  assert.equal(all.commit_url, `${forge.url}${ENGINE}/git/commits/${commit}`);
  assert.equal(all.url, `${forge.url}${ENGINE}/commits/${commit}/status`);
  const page = await combined('main', '?limit=3&page=2');
  assert.deepEqual([page.state, page.total_count, page.statuses.length], ['success', 4, 1]);
});

test('a status belongs to the commit that a branch, a tag or an abbreviated id names, and unknown names are missing', async (t) => {
  const { ada, commit, report } = await startEngine(t);
  await ada.post(`${ENGINE}/contents/second.txt`, { content: 'dHdvCg==', new_branch: 'topic/two' });

  assert.equal((await report({ state: 'success', context: 'short' }, commit.slice(0, 10))).status, 201);
  assert.equal((await report({ state: 'success', context: 'branch' }, 'main')).status, 201);
  assert.equal((await report({ state: 'error', context: 'other' }, 'topic%2Ftwo')).status, 201);

  assert.deepEqual(await statesAt(ada, `${ENGINE}/statuses/${commit}`), ['branch success', 'short success']);
  assert.deepEqual(await statesAt(ada, `${ENGINE}/commits/topic%2Ftwo/statuses`), ['other error']);
  const blob = (await ada.get(`${ENGINE}/contents/README.md`)).body.sha;
  for (const name of [
    'nothing',
    blob,
    'HEAD~1',
    '@%7Bu%7D',
    '0'.repeat(40),
    'main%5E',
    '--all',
    'refs%2Fheads%2Fx',
  ]) {
    assert.equal((await report({ state: 'success' }, name)).status, 404, name);
    for (const url of [`statuses/${name}`, `commits/${name}/statuses`, `commits/${name}/status`])
      assert.equal((await ada.get(`${ENGINE}/${url}`)).status, 404, url);
  }
});

test('only those who may write code create statuses, and a hidden repository is missing', async (t) => {
  const { forge, ada, commit } = await startEngine(t);
  const eve = await forge.account('eve');
  const body = { state: 'success' };

  assert.equal((await eve.post(`${ENGINE}/statuses/${commit}`, body)).status, 403);
  assert.equal((await forge.send('POST', `${ENGINE}/statuses/${commit}`, { json: body })).status, 401);
  await ada.put(`${ENGINE}/collaborators/eve`, { permission: 'write' });
  assert.equal((await eve.post(`${ENGINE}/statuses/${commit}`, body)).status, 201);
  await ada.delete(`${ENGINE}/collaborators/eve`);
  await ada.patch(ENGINE, { private: true });
  assert.equal((await eve.post(`${ENGINE}/statuses/${commit}`, body)).status, 404);
  assert.equal((await eve.get(`${ENGINE}/commits/main/status`)).status, 404);
});

test('a creator who is hidden from the viewer, or deleted, is left out', async (t) => {
  const { forge, ada, commit, report } = await startEngine(t);
  const eve = await forge.account('eve');
  await ada.put(`${ENGINE}/collaborators/eve`, { permission: 'write' });
  await eve.post(`${ENGINE}/statuses/${commit}`, { state: 'success', context: 'eve' });
  await report({ state: 'success' });
  const creators = async (who: Person | TestForge) =>
    (await who.get(`${ENGINE}/statuses/${commit}`)).body.map(
      (each: { creator: { login: string } | null }) => each.creator?.login ?? null,
    );
  assert.deepEqual(await creators(forge), ['ada', 'eve']);

  await forge.root.patch('/api/v1/admin/users/eve', {
    source_id: 0,
    login_name: 'eve',
    visibility: 'private',
  });
  assert.deepEqual(await creators(forge), ['ada', null]);
  assert.deepEqual(await creators(eve), ['ada', 'eve']);
  await forge.root.delete('/api/v1/admin/users/eve');
  assert.deepEqual(await creators(ada), ['ada', null]);
});

test('statuses that arrive at the same time all count, and go with their repository', async (t) => {
  const { forge, ada, commit, report } = await startEngine(t);

  const made = await Promise.all(
    Array.from({ length: 12 }, (_, index) => report({ state: 'success', context: `c${index % 3}` })),
  );

  assert.deepEqual(
    made.map(({ body }) => body.id).toSorted((a, b) => a - b),
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
  assert.equal((await ada.get(`${ENGINE}/commits/${commit}/status`)).body.total_count, 3);
  await ada.delete(ENGINE);
  const { database } = forge.forge.running.engines;
  assert.deepEqual(await database.reader.selectFrom('commit_statuses').selectAll().execute(), []);
});

test('a commit takes no more statuses than the limit', async (t) => {
  const { forge, ada, commit, report } = await startEngine(t);
  await report({ state: 'success' });
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await tx.updateTable('commit_statuses').set({ number: STATUS_LIMITS.statusesPerCommitMax }).execute();
  });

  assert.equal((await report({ state: 'error' })).status, 422);

  assert.deepEqual(await statesAt(ada, `${ENGINE}/statuses/${commit}`), ['default success']);
});
