import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ISSUE_LIMITS } from '../../../src/tracker/issues/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import type { Person } from '../../support/forge/forge.ts';
import { ENGINE, ISSUES, numbersAt, open, startTracker, type Wire } from './tracker.ts';

const statusesOf = (calls: readonly Promise<Wire>[]) =>
  Promise.all(calls.map(async (call) => (await call).status));

test('only users who may write can comment on a locked issue or react to it', async (t) => {
  const { forge, ben, cid } = await startTracker(t);
  const { id } = await open(cid, 'One');
  const own = (await cid.post(`${ISSUES}/1/comments`, { body: 'Mine' })).body.id;
  const lock = `${ISSUES}/1/lock`;

  assert.equal((await cid.put(lock, {})).status, 403);
  assert.equal(
    (await ben.put(lock, { lock_reason: 'x'.repeat(ISSUE_LIMITS.issueLockReasonCharsMax + 1) })).status,
    422,
  );
  for (const reason of ['Too heated', 'Again'])
    assert.equal((await ben.put(lock, { lock_reason: reason })).status, 204);
  assert.equal((await cid.get(`${ISSUES}/1`)).body.is_locked, true);
  const refused = await statusesOf([
    cid.post(`${ISSUES}/1/comments`, { body: 'New' }),
    cid.post(`${ISSUES}/1/reactions`, { content: '+1' }),
    cid.post(`${ISSUES}/comments/${own}/reactions`, { content: '+1' }),
    cid.delete(lock),
  ]);
  assert.deepEqual(refused, [403, 403, 403, 403]);
  assert.equal((await ben.post(`${ISSUES}/1/comments`, { body: 'Calm down.' })).status, 201);
  assert.deepEqual(await statusesOf([ben.delete(lock)]), [204]);
  assert.equal((await cid.post(`${ISSUES}/1/comments`, { body: 'Sorry.' })).status, 201);
  assert.deepEqual(
    (await cid.get(`${ISSUES}/1/timeline`)).body.map(({ type, body }: Wire) => [type, body]),
    [
      ['comment', 'Mine'],
      ['lock', 'Too heated'],
      ['comment', 'Calm down.'],
      ['unlock', ''],
      ['comment', 'Sorry.'],
    ],
  );
  const of = { actor: 'ben', issueId: id, number: 1, isPull: false };
  const { database } = forge.forge.running.engines;
  assert.deepEqual(
    [...(await eventsOf(database, 'issue.lock')), ...(await eventsOf(database, 'issue.unlock'))],
    [
      { kind: 'issue.locked', ...of, reason: 'Too heated' },
      { kind: 'issue.unlocked', ...of },
    ],
  );
});

test('administrators pin a few issues, in an order that they choose', async (t) => {
  const { forge, ada, ben } = await startTracker(t);
  for (const title of ['One', 'Two', 'Three', 'Four']) await open(ada, title);
  const pin = (number: number, who: Person = ada) => who.post(`${ISSUES}/${number}/pin`);
  const pinned = () => numbersAt(forge, `${ISSUES}/pinned`);
  const allowed = async () => (await forge.get(`${ENGINE}/new_pin_allowed`)).body;

  assert.equal((await pin(1, ben)).status, 403);
  assert.deepEqual(await allowed(), { issues: true, pull_requests: true });
  for (const number of [2, 1, 2, 3]) assert.equal((await pin(number)).status, 204);
  assert.deepEqual(await pinned(), [2, 1, 3]);
  assert.deepEqual(await allowed(), { issues: false, pull_requests: true });
  assert.equal((await pin(4)).status, 422);
  const move = async (number: number, to: number | string) =>
    (await ada.patch(`${ISSUES}/${number}/pin/${to}`)).status;
  assert.deepEqual([await move(3, 1), await pinned()], [204, [3, 2, 1]]);
  assert.deepEqual([await move(3, 2), await pinned()], [204, [2, 3, 1]]);
  assert.deepEqual([await move(2, 3), await pinned()], [204, [3, 1, 2]]);
  assert.deepEqual(
    [await move(2, 4), await move(4, 1), await move(2, 0), await move(2, 'x')],
    [422, 422, 404, 404],
  );
  assert.deepEqual((await ada.get(`${ISSUES}/1`)).body.pin_order, 2);
  for (const number of [3, 3]) assert.equal((await ada.delete(`${ISSUES}/${number}/pin`)).status, 204);
  assert.deepEqual([await pinned(), (await ada.get(`${ISSUES}/1`)).body.pin_order], [[1, 2], 1]);
  await ada.delete(`${ISSUES}/1`);
  assert.deepEqual([await pinned(), (await ada.get(`${ISSUES}/2`)).body.pin_order], [[2], 1]);
  const events = await eventsOf(forge.forge.running.engines.database, 'issue.');
  assert.deepEqual(
    events.flatMap(({ kind, ...rest }: Wire) =>
      kind === 'issue.pinned' ? [[rest.number, rest.position]] : [],
    ),
    [
      [2, 1],
      [1, 2],
      [3, 3],
      [3, 1],
      [3, 2],
      [2, 3],
    ],
  );
  await ada.patch(ENGINE, { archived: true });
  assert.equal((await pin(4)).status, 423);
  assert.deepEqual(await pinned(), [2]);
});

test('users who may write set and remove the due date of an issue', async (t) => {
  const { ada, ben, cid } = await startTracker(t);
  await open(cid, 'One');
  const at = `${ISSUES}/1/deadline`;
  const set = async (due_date: unknown, who: Person = ben) => {
    const answer = await who.post(at, { due_date });
    return [answer.status, answer.body.due_date];
  };

  assert.deepEqual(await set('2030-01-31T12:00:00Z'), [201, '2030-01-31T23:59:59Z']);
  assert.equal((await ada.get(`${ISSUES}/1`)).body.due_date, '2030-01-31T23:59:59Z');
  for (const [sent, day] of [
    ['2026-12-24T00:00:00+02:00', '2026-12-24'],
    ['2026-12-24T22:00:00-05:00', '2026-12-24'],
    ['2026-12-24T23:59:59Z', '2026-12-24'],
  ] as const) {
    const due = `${day}T23:59:59Z`;
    assert.deepEqual(await set(sent), [201, due], sent);
    assert.equal((await ben.post(ISSUES, { title: 'Due', due_date: sent })).body.due_date, due, sent);
    assert.equal((await ben.patch(`${ISSUES}/1`, { due_date: sent })).body.due_date, due, sent);
  }
  assert.deepEqual(await set('2030-01-31T12:00:00Z'), [201, '2030-01-31T23:59:59Z']);
  for (const unfit of ['tomorrow', '2026-02-30T00:00:00Z', 7]) assert.equal((await set(unfit))[0], 422);
  assert.equal((await ben.post(at, {})).status, 422);
  assert.equal((await set('2030-01-31T12:00:00Z', cid))[0], 403);
  assert.deepEqual(await set(null), [201, null]);
  assert.equal((await ada.get(`${ISSUES}/1`)).body.due_date, null);
  assert.deepEqual(
    (await ada.get(`${ISSUES}/1/timeline`)).body.map(({ type }: Wire) => type),
    ['added_deadline', 'modified_deadline', 'modified_deadline', 'removed_deadline'],
  );
});

test('locks, pins and due dates of issues return 404 in a hidden repository and under another repository', async (t) => {
  const { ada, cid } = await startTracker(t, { private: true });
  await ada.repository('other');
  await open(ada, 'One');

  for (const [who, at] of [
    [cid, `${ISSUES}/1`],
    [ada, '/api/v1/repos/ada/other/issues/1'],
  ] as const) {
    const statuses = await statusesOf([
      who.put(`${at}/lock`, {}),
      who.delete(`${at}/lock`),
      who.post(`${at}/pin`),
      who.delete(`${at}/pin`),
      who.patch(`${at}/pin/1`),
      who.post(`${at}/deadline`, { due_date: null }),
    ]);
    assert.deepEqual(statuses, Array(6).fill(404));
  }
  assert.deepEqual(
    await statusesOf([cid.get(`${ISSUES}/pinned`), cid.get(`${ENGINE}/new_pin_allowed`)]),
    [404, 404],
  );
});
