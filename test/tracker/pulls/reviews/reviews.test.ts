import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../../support/forge/events.ts';
import { until } from '../../../support/until.ts';
import type { Wire } from '../../issues/tracker.ts';
import { commitFile, ENGINE, merge, protect, settle } from '../pulls.ts';
import { entries, PULL, REVIEWS, review, startPull, states } from './reviewing.ts';

test('200: an approval has the head, the reviewer and an address in the timeline', async (t) => {
  const { ada, forge, head } = await startPull(t);
  const body = await review(ada, { event: 'APPROVED', body: 'It pumps.' });
  assert.deepEqual(
    [body.state, body.body, body.commit_id, body.user.login, body.team],
    ['APPROVED', 'It pumps.', head, 'ada', null],
  );
  assert.deepEqual([body.official, body.stale, body.dismissed, body.comments_count], [true, false, false, 0]);
  assert.equal(body.pull_request_url, `${forge.url}/ada/engine/pulls/1`);
  assert.deepEqual((await ada.get(`${REVIEWS}/${body.id}`)).body, body);
  assert.deepEqual((await ada.get(REVIEWS)).body, [body]);
  const [entry] = await entries(ada, 'review');
  assert.deepEqual([entry.body, entry.review_id, entry.html_url], ['It pumps.', body.id, body.html_url]);
});

test('a pending review: one of a user, whom alone it shows itself to', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const comment = { path: 'valve.txt', new_position: 1, body: 'Which one?' };
  const first = await review(cyd, { body: 'A draft.', comments: [comment] });
  const second = await review(cyd, { event: 'PENDING', comments: [{ ...comment, new_position: 3 }] });
  assert.deepEqual(
    [second.id, second.state, second.body, second.comments_count],
    [first.id, 'PENDING', 'A draft.', 2],
  );
  for (const who of [ada, ben, forge.root]) {
    assert.deepEqual(await states(who), []);
    for (const path of ['', '/comments', '/comments/1'])
      assert.equal((await who.get(`${REVIEWS}/${first.id}${path}`)).status, 404);
    assert.equal((await who.post(`${REVIEWS}/${first.id}`, { event: 'APPROVED' })).status, 404);
    assert.equal((await who.delete(`${REVIEWS}/${first.id}`)).status, 404);
  }
  assert.deepEqual(await states(cyd), ['PENDING']);
  assert.equal((await cyd.get(REVIEWS)).headers.get('x-total-count'), '1');
  assert.equal((await ada.get(REVIEWS)).headers.get('x-total-count'), '0');
  assert.equal((await ada.get(PULL)).body.review_comments, 0);
  assert.deepEqual(await eventsOf(forge.forge.running.engines.database, 'pull.review'), []);

  const submitted = await cyd.post(`${REVIEWS}/${first.id}`, { event: 'COMMENT' });
  assert.deepEqual(
    [submitted.status, submitted.body.state, submitted.body.body, submitted.body.comments_count],
    [200, 'COMMENT', 'A draft.', 2],
  );
  assert.equal((await ada.get(`${REVIEWS}/${first.id}/comments`)).body.length, 2);
  assert.equal((await ada.get(PULL)).body.review_comments, 2);
});

test('a review that is submitted at once takes the pending comments with it', async (t) => {
  const { ada, cyd } = await startPull(t);
  const pending = await review(cyd, { comments: [{ path: 'valve.txt', new_position: 1, body: 'One.' }] });
  const comments = [{ path: 'valve.txt', new_position: 2, body: 'Two.' }];
  const done = await review(cyd, { event: 'REQUEST_CHANGES', body: 'Not yet.', comments });
  assert.deepEqual([done.id, done.state, done.comments_count], [pending.id, 'REQUEST_CHANGES', 2]);
  assert.deepEqual(await states(ada), ['REQUEST_CHANGES']);
});

test('422: only a pending review can be submitted, and not to stay pending', async (t) => {
  const { cyd } = await startPull(t);
  const { id } = await review(cyd, { body: 'A draft.' });
  for (const event of ['PENDING', '', 'MAYBE', undefined])
    assert.equal((await cyd.post(`${REVIEWS}/${id}`, { event, body: 'x' })).status, 422);
  assert.equal((await cyd.post(`${REVIEWS}/${id}`, { event: 'APPROVED' })).status, 200);
  assert.equal((await cyd.post(`${REVIEWS}/${id}`, { event: 'APPROVED' })).status, 422);
  assert.equal((await cyd.post(`${REVIEWS}/${id + 1}`, { event: 'APPROVED' })).status, 404);
});

test('422: a verdict on an own pull request; 200: a comment on it', async (t) => {
  const { ben } = await startPull(t);
  for (const event of ['APPROVED', 'REQUEST_CHANGES'])
    assert.equal((await ben.post(REVIEWS, { event, body: 'Fine.' })).status, 422);
  const { id } = await review(ben, { body: 'A draft.' });
  assert.equal((await ben.post(`${REVIEWS}/${id}`, { event: 'APPROVED' })).status, 422);
  await review(ben, { event: 'COMMENT', body: 'Please look.' });
});

test('422: a review that says nothing; 200: an approval that says nothing', async (t) => {
  const { ada } = await startPull(t);
  for (const event of ['COMMENT', 'REQUEST_CHANGES'])
    assert.equal((await ada.post(REVIEWS, { event, body: ' \n' })).status, 422);
  await review(ada, { event: 'APPROVED' });
  const comments = [{ path: 'valve.txt', new_position: 1, body: 'Why?' }];
  await review(ada, { event: 'REQUEST_CHANGES', comments });
});

test('commit_id is a commit of the pull request, by default the head', async (t) => {
  const { ada, base, first, head } = await startPull(t);
  const other = await commitFile(ada, 'other.txt', 'x\n', { branch: 'other', from: 'main' });
  for (const commit of [base, other, 'pump', head.slice(0, 12), 'f'.repeat(40), '--all'])
    assert.equal((await ada.post(REVIEWS, { event: 'APPROVED', commit_id: commit })).status, 422, commit);
  const earlier = await review(ada, { event: 'APPROVED', commit_id: first });
  assert.deepEqual([earlier.commit_id, earlier.stale], [first, true]);
  const now = await review(ada, { event: 'APPROVED', commit_id: head });
  assert.deepEqual([now.commit_id, now.stale], [head, false]);
});

test('422: a verdict on a closed pull request; 200: a comment on it', async (t) => {
  const { ada, ben } = await startPull(t);
  const { id } = await review(ada, { body: 'A draft.' });
  assert.equal((await ben.patch(PULL, { state: 'closed' })).status, 201);
  assert.equal((await ada.post(REVIEWS, { event: 'APPROVED' })).status, 422);
  assert.equal((await ada.post(`${REVIEWS}/${id}`, { event: 'REQUEST_CHANGES' })).status, 422);
  await review(ada, { event: 'COMMENT', body: 'A pity.' });
});

test('403: reviews of a locked pull request, except by people who may write', async (t) => {
  const { ada, cyd } = await startPull(t);
  const { id } = await review(cyd, { body: 'A draft.' });
  assert.equal((await ada.put(`${ENGINE}/issues/1/lock`, {})).status, 204);
  assert.equal((await cyd.post(REVIEWS, { event: 'APPROVED' })).status, 403);
  assert.equal((await cyd.post(`${REVIEWS}/${id}`, { event: 'APPROVED' })).status, 403);
  assert.equal((await cyd.delete(`${REVIEWS}/${id}`)).status, 204);
  await review(ada, { event: 'APPROVED' });
});

test('423: reviews in an archived repository', async (t) => {
  const { ada, cyd } = await startPull(t);
  const { id } = await review(cyd, { event: 'COMMENT', body: 'Hm.' });
  assert.equal((await ada.patch(ENGINE, { archived: true })).status, 200);
  assert.equal((await cyd.post(REVIEWS, { event: 'APPROVED' })).status, 423);
  assert.equal((await cyd.delete(`${REVIEWS}/${id}`)).status, 423);
  assert.equal((await ada.post(`${REVIEWS}/${id}/dismissals`, {})).status, 423);
  assert.deepEqual(await states(cyd), ['COMMENT']);
});

test('deletion by the author or an owner: comments, count and entry are gone', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const dora = await forge.account('dora');
  await ada.put(`${ENGINE}/collaborators/dora`, { permission: 'admin' });
  const comments = [{ path: 'valve.txt', new_position: 1, body: 'Why?' }];
  const one = await review(cyd, { event: 'COMMENT', comments });
  const other = await review(cyd, { event: 'APPROVED', comments });
  for (const who of [ben, dora]) assert.equal((await who.delete(`${REVIEWS}/${one.id}`)).status, 403);
  assert.equal((await cyd.delete(`${REVIEWS}/${one.id}`)).status, 204);
  assert.equal((await ada.get(`${REVIEWS}/${one.id}`)).status, 404);
  assert.equal((await ada.get(PULL)).body.review_comments, 1);
  assert.deepEqual(
    (await entries(ada, 'review')).map((each) => each.review_id),
    [other.id],
  );
  assert.equal((await ada.delete(`${REVIEWS}/${other.id}`)).status, 204);
  assert.equal((await ada.get(PULL)).body.review_comments, 0);
  assert.equal((await ada.delete(`${REVIEWS}/${other.id}`)).status, 404);
});

test('a review is official if its author may approve, and only the last verdict of a user is', async (t) => {
  const { ada, cyd, forge } = await startPull(t);
  assert.equal((await review(cyd, { event: 'APPROVED' })).official, false);
  const rejected = await review(ada, { event: 'REQUEST_CHANGES', body: 'No.' });
  const approved = await review(ada, { event: 'APPROVED' });
  const comment = await review(ada, { event: 'COMMENT', body: 'Well.' });
  const official = async (who = ada) =>
    (await who.get(REVIEWS)).body.filter((each: Wire) => each.official).map((each: Wire) => each.id);
  assert.deepEqual(await official(), [approved.id]);
  assert.equal(comment.official, false);
  // The one before takes the place of a deleted one.
  await ada.delete(`${REVIEWS}/${approved.id}`);
  assert.deepEqual(await official(), [rejected.id]);

  await protect(
    ada,
    { enable_approvals_whitelist: true, approvals_whitelist_username: ['cyd'] },
    { name: 'm*' },
  );
  const listed = await review(cyd, { event: 'APPROVED' });
  assert.equal(listed.official, true);
  assert.equal((await review(ada, { event: 'APPROVED' })).official, false);
  assert.equal((await review(forge.root, { event: 'APPROVED' })).official, false);
});

test('dismissals and undismissals, by administrators only', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const first = await review(cyd, { event: 'REQUEST_CHANGES', body: 'No.' });
  const second = await review(cyd, { event: 'APPROVED' });
  const comment = await review(cyd, { event: 'COMMENT', body: 'Well.' });
  const at = ({ id }: Wire, word = 'dismissals') => `${REVIEWS}/${id}/${word}`;
  for (const who of [ben, cyd]) {
    assert.equal((await who.post(at(second), { message: 'No.' })).status, 403);
    assert.equal((await who.post(at(second, 'undismissals'))).status, 403);
  }
  assert.equal((await ada.post(at(comment), { message: 'No.' })).status, 403);
  const dismissed = await ada.post(at(second), { message: 'Too early.' });
  assert.deepEqual(
    [dismissed.status, dismissed.body.dismissed, dismissed.body.state],
    [200, true, 'APPROVED'],
  );
  const [entry, ...others] = await entries(ada, 'dismiss_review');
  assert.deepEqual([entry.body, entry.review_id, others], ['Too early.', second.id, []]);
  const dismissals = async () => (await ada.get(REVIEWS)).body.map((each: Wire) => each.dismissed);
  assert.deepEqual(await dismissals(), [false, true, false]);
  const back = await ada.post(at(second, 'undismissals'));
  assert.deepEqual([back.status, back.body.dismissed], [200, false]);
  assert.equal((await ada.post(at(second), { message: 'All.', priors: true })).status, 200);
  assert.deepEqual(await dismissals(), [true, true, false]);
  assert.deepEqual(
    (await entries(ada, 'dismiss_review')).map((each) => [each.body, each.review_id]),
    [
      ['Too early.', second.id],
      ['All.', first.id],
      ['All.', second.id],
    ],
  );
  const events: Wire = await eventsOf(forge.forge.running.engines.database, 'pull.review-dismissed');
  assert.deepEqual(
    events.map(({ reviewId, isDismissed }: Wire) => [reviewId, isDismissed]),
    [
      [second.id, true],
      [second.id, false],
      [first.id, true],
      [second.id, true],
    ],
  );
  await ada.post(at(first, 'undismissals'));
  await ben.patch(PULL, { state: 'closed' });
  assert.equal((await ada.post(at(first), { message: 'Late.' })).status, 403);
});

test('reviews become stale when the head moves, and fresh when it moves back', async (t) => {
  const { ada, ben, forge, head } = await startPull(t);
  const { id } = await review(ada, { event: 'APPROVED' });
  await commitFile(ben, 'gauge.txt', 'x\n', { branch: 'pump' });
  const read = async () => (await ada.get(`${REVIEWS}/${id}`)).body;
  // At once, and not when jobs have run.
  assert.deepEqual([(await read()).stale, (await read()).commit_id], [true, head]);
  await settle(forge);
  const url = `${ENGINE}/git/refs/heads/pump`;
  assert.equal((await ben.patch(url, { sha: head, force: true })).status, 200);
  assert.equal((await read()).stale, false);
});

test('new commits dismiss approvals if the protection of the base says so', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  await protect(ada, { required_approvals: 1, dismiss_stale_approvals: true });
  const approved = await review(ada, { event: 'APPROVED' });
  const rejected = await review(cyd, { event: 'REQUEST_CHANGES', body: 'No.' });
  await commitFile(ben, 'gauge.txt', 'x\n', { branch: 'pump' });
  assert.equal((await ada.get(`${REVIEWS}/${approved.id}`)).body.dismissed, true);
  assert.equal((await ada.get(`${REVIEWS}/${rejected.id}`)).body.dismissed, false);
  assert.equal((await merge(ben)).status, 405);
  await settle(forge);
  const [entry] = await entries(ada, 'dismiss_review');
  assert.deepEqual([entry.review_id, entry.user.login], [approved.id, 'ben']);
  await review(ada, { event: 'APPROVED' });
  assert.equal((await merge(ben)).status, 200);
});

test('each change records its events', async (t) => {
  const { ada, cyd, forge } = await startPull(t);
  const { database } = forge.forge.running.engines;
  const { id } = await review(cyd, { event: 'APPROVED' });
  await ada.post(`${REVIEWS}/${id}/dismissals`, { message: 'No.' });
  await ada.post(`${REVIEWS}/${id}/dismissals`, { message: 'Again.' });
  await ada.post(`${REVIEWS}/${id}/undismissals`);
  await cyd.delete(`${REVIEWS}/${id}`);
  const events = (await eventsOf(database, 'pull.review')).map(({ kind, actor, ...rest }) => {
    const { state, isDismissed } = rest as Wire;
    return [kind, actor, state ?? isDismissed];
  });
  assert.deepEqual(events, [
    ['pull.reviewed', 'cyd', 'approved'],
    ['pull.review-dismissed', 'ada', true],
    ['pull.review-dismissed', 'ada', false],
    ['pull.review-deleted', 'cyd', undefined],
  ]);
});

test('texts of reviews mention users and refer to issues, once they are visible', async (t) => {
  const { ada, cyd, forge } = await startPull(t);
  const dora = await forge.account('dora');
  await ada.post(`${ENGINE}/issues`, { title: 'Leak' });
  const comments = [{ path: 'valve.txt', new_position: 1, body: 'As in #2, @dora.' }];
  const { id } = await review(cyd, { body: 'See #2.', comments });
  const timeline = async () => (await ada.get(`${ENGINE}/issues/2/timeline`)).body;
  assert.deepEqual(await timeline(), []);
  assert.equal((await cyd.post(`${REVIEWS}/${id}`, { event: 'COMMENT' })).status, 200);
  const [reference, ...others] = await timeline();
  assert.deepEqual([reference.type, reference.ref_issue.number, others], ['comment_ref', 1, []]);
  assert.equal(reference.ref_comment.body, 'See #2.');
  const threads = async () => (await dora.get('/api/v1/notifications')).body;
  await until(async () => (await threads()).length > 0);
  assert.equal((await threads())[0].subject.title, 'Add a pump');
});

test('the author is notified of a review, and reviewers of later ones', async (t) => {
  const { ada, ben, cyd } = await startPull(t);
  const unread = async (who: typeof ada) => (await who.get('/api/v1/notifications')).body.length;
  const check = `${ENGINE}/issues/1/subscriptions/check`;
  assert.equal((await cyd.get(check)).body.subscribed, false);
  await review(cyd, { event: 'APPROVED' });
  assert.equal((await cyd.get(check)).body.subscribed, true);
  await until(async () => (await unread(ben)) > 0);
  await review(ben, { event: 'COMMENT', body: 'Thank you.' });
  await until(async () => (await unread(cyd)) > 0);
});

test('a notification names the latest text: of a comment, or of a review', async (t) => {
  const { ben, cyd } = await startPull(t);
  const latest = async () => {
    const [thread] = (await ben.get('/api/v1/notifications?all=true')).body;
    return thread && [thread.subject.latest_comment_url, thread.subject.latest_comment_html_url];
  };
  const read = async () => {
    const [url, page] = await latest();
    const { body, html_url } = (await ben.get(new URL(url).pathname)).body;
    assert.equal(html_url, page);
    return body;
  };
  await review(cyd, { event: 'APPROVED' });
  await until(async () => (await latest()) !== undefined);
  assert.deepEqual(await latest(), ['', '']);
  await review(cyd, { event: 'COMMENT', body: 'It leaks.' });
  assert.equal(await read(), 'It leaks.');
  await cyd.post(`${ENGINE}/issues/1/comments`, { body: 'And it rattles.' });
  assert.equal(await read(), 'And it rattles.');
  await review(cyd, { event: 'REQUEST_CHANGES', body: 'Mend it.' });
  await review(cyd, { event: 'APPROVED' });
  await review(cyd, { body: 'Pending.' });
  assert.equal(await read(), 'Mend it.');
});

test('reviews of deleted and of hidden accounts', async (t) => {
  const { ada, cyd, forge } = await startPull(t);
  const dora = await forge.account('dora', { visibility: 'private' });
  await review(dora, { event: 'APPROVED' });
  await review(cyd, { event: 'APPROVED' });
  const dan = await forge.account('dan');
  await review(dan, { event: 'COMMENT', body: 'Hm.' });
  await review(dan, { body: 'A draft.' });
  assert.equal((await ada.post(`${PULL}/requested_reviewers`, { reviewers: ['dan'] })).status, 201);
  const users = async (who: typeof ada) => (await who.get(REVIEWS)).body.map((each: Wire) => each.user.login);
  assert.deepEqual(await users(ada), ['Ghost', 'cyd', 'dan', 'dan']);
  assert.deepEqual(await users(forge.root), ['dora', 'cyd', 'dan', 'dan']);
  assert.equal((await forge.root.delete('/api/v1/admin/users/dan')).status, 204);
  assert.deepEqual(await users(ada), ['Ghost', 'cyd', 'Ghost']);
  assert.deepEqual((await ada.get(PULL)).body.requested_reviewers, []);
});

test('a reviewer without access loses the reviews from sight', async (t) => {
  const { ada, cyd } = await startPull(t);
  const { id } = await review(cyd, { body: 'A draft.' });
  assert.equal((await ada.patch(ENGINE, { private: true })).status, 200);
  assert.equal((await cyd.post(`${REVIEWS}/${id}`, { event: 'APPROVED' })).status, 404);
  assert.equal((await cyd.get(REVIEWS)).status, 404);
});

test('412: a deletion or a submission of a review that is not as the client has read it', async (t) => {
  const { ada } = await startPull(t);
  const { id } = await review(ada, { body: 'A draft.' });
  const tag = (await ada.get(`${REVIEWS}/${id}`)).headers.get('etag') ?? '';
  await review(ada, { body: 'Another one.' });
  const send = (method: string, json?: unknown) =>
    ada.send(method, `${REVIEWS}/${id}`, { headers: { 'if-match': tag }, ...(json ? { json } : {}) });
  assert.equal((await send('POST', { event: 'APPROVED' })).status, 412);
  assert.equal((await send('DELETE')).status, 412);
});
