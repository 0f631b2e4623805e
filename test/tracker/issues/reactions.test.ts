import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from './tracker.ts';

const OF_ISSUE = `${ISSUES}/1/reactions`;

test('people react to issues and comments once with each reaction, and take reactions back, with events', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const { id } = await open(ada, 'One');
  const commentId = (await ada.post(`${ISSUES}/1/comments`, { body: 'Mine' })).body.id;
  const ofComment = `${ISSUES}/comments/${commentId}/reactions`;

  for (const at of [OF_ISSUE, ofComment]) {
    const first = await cid.post(at, { content: '+1' });
    assert.deepEqual([first.status, first.body.user.login, first.body.content], [201, 'cid', '+1']);
    const again = await cid.post(at, { content: '+1' });
    assert.deepEqual([again.status, again.body], [200, first.body]);
    for (const content of ['-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'])
      assert.equal((await ben.post(at, { content })).status, 201, content);
    const page = await forge.get(`${at}?limit=2`);
    assert.deepEqual(
      [page.body.map(({ content }: Wire) => content), page.headers.get('x-total-count')],
      [['+1', '-1'], '8'],
    );
    for (const _ of [1, 2]) {
      const removed = await ben.delete(at, { content: 'laugh' });
      assert.deepEqual([removed.status, removed.text], [200, '']);
    }
    assert.equal((await cid.delete(at, { content: 'eyes' })).status, 200);
    assert.equal((await forge.get(at)).body.length, 7);
    assert.equal((await cid.post(at, { content: 'shrug' })).status, 403);
    assert.equal((await cid.post(at, { content: 7 })).status, 422);
    assert.equal((await forge.send('POST', at, { json: { content: '+1' } })).status, 401);
  }
  const events = await eventsOf(forge.forge.running.engines.database, 'issue-reaction.');
  const of = { actor: 'cid', issueId: id, number: 1, isPull: false, content: '+1' };
  assert.equal(events.length, 18);
  assert.deepEqual(
    [events[0], events[9]],
    [null, commentId].map((each) => ({ kind: 'issue-reaction.created', ...of, commentId: each })),
  );
  assert.deepEqual(events[8], {
    ...events[8],
    kind: 'issue-reaction.deleted',
    actor: 'ben',
    content: 'laugh',
  });
});

test('reactions follow their comment, their account and their repository', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  await ada.repository('other');
  await open(ada, 'One');
  const { id } = (await ada.post(`${ISSUES}/1/comments`, { body: 'Mine' })).body;
  await ada.patch(`${ISSUES}/1`, { title: 'Uno' });
  const ofComment = `${ISSUES}/comments/${id}/reactions`;
  for (const at of [OF_ISSUE, ofComment]) await cid.post(at, { content: '+1' });

  const others = [
    `/api/v1/repos/ada/other/issues/comments/${id}/reactions`,
    `${ISSUES}/comments/${id + 1}/reactions`,
    `${ISSUES}/comments/999999/reactions`,
    '/api/v1/repos/ada/other/issues/1/reactions',
  ];
  for (const at of others) {
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      assert.equal((await ada.send(method, at, { json: { content: '+1' } })).status, 404, at);
  }
  await forge.root.patch('/api/v1/admin/users/cid', { visibility: 'private' });
  for (const at of [OF_ISSUE, ofComment]) assert.equal((await forge.get(at)).body[0].user.login, 'Ghost');
  await ada.patch(ENGINE, { archived: true });
  assert.deepEqual(
    [
      (await cid.post(OF_ISSUE, { content: 'eyes' })).status,
      (await cid.delete(ofComment, { content: '+1' })).status,
    ],
    [423, 423],
  );
  await ada.patch(ENGINE, { archived: false, private: true });
  for (const at of [OF_ISSUE, ofComment]) {
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      assert.equal((await cid.send(method, at, { json: { content: '+1' } })).status, 404);
  }
  assert.equal((await forge.root.delete('/api/v1/admin/users/cid?purge=true')).status, 204);
  for (const at of [OF_ISSUE, ofComment]) assert.deepEqual((await ada.get(at)).body, []);
  await ada.post(ofComment, { content: '+1' });
  await ada.delete(`${ISSUES}/comments/${id}`);
  const { database } = forge.forge.running.engines;
  assert.deepEqual(await database.reader.selectFrom('issue_reactions').selectAll().execute(), []);
});
