import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ISSUE_LIMITS } from '../../../src/tracker/issues/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { ENGINE, ISSUES, numbersAt, open, startTracker } from './tracker.ts';

const LOOM = '/api/v1/repos/ada/loom';
const inLoom = (index: number) => ({ owner: 'ada', repo: 'loom', index });

function statusOf(who: Person | TestForge, method: string, url: string, json: object = {}): Promise<number> {
  return who.send(method, url, { json }).then(({ status }) => status);
}

test('an issue depends on others, which then block it, with entries on both, events and If-Match', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  for (const title of ['One', 'Two', 'Three']) await open(cid, title);
  const [one, two] = [(await ada.get(`${ISSUES}/1`)).body, (await ada.get(`${ISSUES}/2`)).body];

  const added = await ben.post(`${ISSUES}/1/dependencies`, { index: 2 });
  assert.deepEqual([added.status, added.body.number], [201, 1], added.text);
  const named = { owner: 'Ada', repo: 'Engine', index: 3 };
  assert.equal((await ben.post(`${ISSUES}/1/dependencies`, named)).status, 201);
  const blocking = await ben.post(`${ISSUES}/3/blocks`, { index: 2 });
  assert.deepEqual([blocking.status, blocking.body.number], [201, 3], blocking.text);

  assert.deepEqual(await numbersAt(forge, `${ISSUES}/1/dependencies`), [3, 2]);
  assert.deepEqual(await numbersAt(forge, `${ISSUES}/2/blocks`), [1]);
  assert.deepEqual(await numbersAt(forge, `${ISSUES}/3/blocks`), [2, 1]);
  const page = await forge.get(`${ISSUES}/1/dependencies?limit=1&page=2`);
  assert.deepEqual([page.body[0].number, page.headers.get('x-total-count')], [2, '2']);
  for (const [url, index] of [
    ['1/dependencies', 2],
    ['2/dependencies', 1],
    ['1/dependencies', 1],
    ['2/blocks', 1],
  ] as const)
    assert.equal(await statusOf(ben, 'POST', `${ISSUES}/${url}`, { index }), 422, `${url} ${index}`);
  const headers = { 'if-match': (await ada.get(`${ISSUES}/1/dependencies`)).headers.get('etag') ?? '' };
  const remove = () => ada.send('DELETE', `${ISSUES}/1/dependencies`, { json: { index: 2 }, headers });
  const removed = await remove();
  assert.deepEqual([removed.status, removed.body.number], [200, 1], removed.text);
  assert.equal((await remove()).status, 412);
  assert.equal(await statusOf(ada, 'DELETE', `${ISSUES}/1/dependencies`, { index: 2 }), 404);
  assert.equal(await statusOf(ada, 'DELETE', `${ISSUES}/3/blocks`, { index: 2 }), 200);
  assert.deepEqual(await numbersAt(forge, `${ISSUES}/2/dependencies`), []);

  const { database } = forge.forge.running.engines;
  const kinds = async (id: number) =>
    (await database.reader.selectFrom('issue_entries').select('kind').where('issue_id', '=', id).execute())
      .map(({ kind }) => kind)
      .toSorted();
  assert.deepEqual(await kinds(one.id), ['add_dependency', 'add_dependency', 'remove_dependency']);
  assert.deepEqual(await kinds(two.id), [
    ...['add_dependency', 'add_dependency', 'remove_dependency', 'remove_dependency'],
  ]);
  const [first, , , fourth] = await eventsOf(database, 'issue.dependencies-changed');
  const about = { kind: 'issue.dependencies-changed', issueId: one.id, number: 1, isPull: false };
  assert.deepEqual(first, { ...about, actor: 'ben', added: [two.id], removed: [] });
  assert.deepEqual(fourth, { ...about, actor: 'ada', added: [], removed: [two.id] });
});

test('an issue with open dependencies cannot be closed, unless the repository has switched them off', async (t) => {
  const { ada, cid } = await startTracker(t);
  for (const title of ['One', 'Two']) await open(cid, title);
  await ada.post(`${ISSUES}/1/dependencies`, { index: 2 });
  const close = (number: number) => cid.patch(`${ISSUES}/${number}`, { state: 'closed', title: 'Done' });

  const denied = await close(1);
  assert.equal(denied.status, 412);
  assert.match(denied.body.message, /depends on open issues/);
  assert.equal((await ada.get(`${ISSUES}/1`)).body.title, 'One');
  assert.equal((await close(2)).status, 201);
  assert.equal((await close(1)).status, 201);
  await cid.patch(`${ISSUES}/1`, { state: 'open' });
  await cid.patch(`${ISSUES}/2`, { state: 'open' });
  assert.equal((await close(1)).status, 412);

  const tracker = { enable_time_tracker: true, enable_issue_dependencies: false };
  await ada.patch(ENGINE, { has_issues: true, internal_tracker: tracker });
  assert.equal((await close(1)).status, 201);
  for (const method of ['GET', 'POST', 'DELETE'])
    for (const direction of ['dependencies', 'blocks'])
      assert.equal(await statusOf(ada, method, `${ISSUES}/1/${direction}`, { index: 2 }), 404, method);
});

test('dependencies on other repositories show only to those who may read these', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await ada.repository('loom', { private: true });
  await open(ada, 'Public');
  await open(ada, 'Secret', {}, `${LOOM}/issues`);
  assert.equal(await statusOf(ada, 'POST', `${ISSUES}/1/dependencies`, inLoom(1)), 201);

  for (const who of [forge, ben, cid]) {
    const answer = await who.get(`${ISSUES}/1/dependencies`);
    assert.deepEqual([answer.body, answer.headers.get('x-total-count')], [[], '0']);
  }
  assert.deepEqual(await numbersAt(ada, `${ISSUES}/1/dependencies`), [1]);
  assert.deepEqual(await numbersAt(ada, `${LOOM}/issues/1/blocks`), [1]);
  for (const method of ['POST', 'DELETE'])
    assert.equal(await statusOf(ben, method, `${ISSUES}/1/dependencies`, inLoom(1)), 404, method);
  await ada.put(`${LOOM}/collaborators/ben`, { permission: 'read' });
  assert.deepEqual(await numbersAt(ben, `${ISSUES}/1/dependencies`), [1]);
  // Ben may write the blocked issue, and only read the other one.
  assert.equal(await statusOf(ben, 'DELETE', `${ISSUES}/1/dependencies`, inLoom(1)), 200);
  assert.equal(await statusOf(ben, 'POST', `${ISSUES}/1/blocks`, inLoom(1)), 403);
  assert.equal(await statusOf(ben, 'POST', `${LOOM}/issues/1/dependencies`, { index: 1 }), 403);
  const inEngine = { owner: 'ada', repo: 'engine', index: 1 };
  assert.equal(await statusOf(ben, 'POST', `${LOOM}/issues/1/blocks`, inEngine), 201);
  await ada.patch(LOOM, { has_issues: false });
  assert.deepEqual(await numbersAt(ben, `${ISSUES}/1/dependencies`), []);
  assert.equal((await ben.patch(`${ISSUES}/1`, { state: 'closed' })).status, 201);
});

test('dependencies of missing issues, by others, on archived repositories and beyond the limit are rejected', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  await ada.repository('loom');
  for (const title of ['One', 'Two']) await open(cid, title);
  await open(ada, 'Elsewhere', {}, `${LOOM}/issues`);
  const add = (who: Person | TestForge, url: string, body: object) => statusOf(who, 'POST', url, body);

  for (const body of [{ index: 9 }, { index: -1 }, inLoom(2), { owner: 'ada', repo: 'no-such', index: 1 }])
    assert.equal(await add(ada, `${ISSUES}/1/dependencies`, body), 404, JSON.stringify(body));
  for (const body of [{}, { index: 'x' }, { index: 1.5 }, { owner: 7, index: 1 }])
    assert.equal(await add(ada, `${ISSUES}/1/dependencies`, body), 422, JSON.stringify(body));
  await ada.patch(LOOM, { name: 'jacquard' });
  assert.equal(await add(ada, `${ISSUES}/1/dependencies`, inLoom(1)), 404);
  await ada.patch('/api/v1/repos/ada/jacquard', { name: 'loom' });
  assert.equal(await add(cid, `${ISSUES}/1/dependencies`, { index: 2 }), 403);
  assert.equal(await add(cid, `${ISSUES}/1/blocks`, { index: 2 }), 403);
  assert.equal(await add(forge, `${ISSUES}/1/blocks`, { index: 2 }), 401);

  await ada.patch(LOOM, { archived: true });
  assert.equal(
    await add(ada, `${LOOM}/issues/1/dependencies`, { owner: 'ada', repo: 'engine', index: 1 }),
    423,
  );
  assert.equal(await add(ada, `${ISSUES}/1/blocks`, inLoom(1)), 423);
  assert.equal(await add(ada, `${ISSUES}/1/dependencies`, inLoom(1)), 201);

  const { database } = forge.forge.running.engines;
  const row = await database.reader
    .selectFrom('issues')
    .selectAll()
    .where('number', '=', 2)
    .executeTakeFirstOrThrow();
  const numbers = Array.from({ length: ISSUE_LIMITS.issueDependenciesMax }, (_, each) => each + 100);
  await database.transaction(async (tx) => {
    const { id: _, ...copied } = row;
    const made = await tx
      .insertInto('issues')
      .values(numbers.map((number) => ({ ...copied, number })))
      .returning('id')
      .execute();
    const links = made.map(({ id }) => ({ issue_id: id, depends_on_id: row.id }));
    await tx.insertInto('issue_dependencies').values(links).execute();
  });
  assert.equal(await add(ada, `${ISSUES}/1/dependencies`, { index: 2 }), 422);
});

test('B10: a blocked user adds no entries to issues of the blocker, by dependencies either', async (t) => {
  const { ada, ben, cid } = await startTracker(t);
  await open(ada, 'One');
  await cid.repository('own');
  const own = '/api/v1/repos/cid/own/issues';
  await cid.post(own, { title: 'Mine' });
  const named = { owner: 'ada', repo: 'engine', index: 1 };
  assert.equal(await statusOf(cid, 'POST', `${own}/1/dependencies`, named), 201);
  assert.equal(await statusOf(cid, 'DELETE', `${own}/1/dependencies`, named), 200);
  assert.equal((await ada.put('/api/v1/user/block/cid')).status, 204);

  assert.equal(await statusOf(cid, 'POST', `${own}/1/dependencies`, named), 403);
  assert.equal(await statusOf(cid, 'POST', `${own}/1/blocks`, named), 403);
  assert.equal((await ben.get(`${ISSUES}/1/timeline`)).body.length, 2);
});
