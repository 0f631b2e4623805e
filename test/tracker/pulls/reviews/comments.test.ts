import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PULL_LIMITS } from '../../../../src/tracker/pulls/limits.ts';
import type { Wire } from '../../issues/tracker.ts';
import { commitFile, ENGINE, FORK, forkEngine, merge, openPull, PULLS, protect, settle } from '../pulls.ts';
import { AT_VALVE, commented, entries, LINES, PULL, REVIEWS, review, startPull } from './reviewing.ts';

test('200: comments on lines of either side, with the hunk that ends there', async (t) => {
  const { ada, forge, head } = await startPull(t);
  const [now, old, around] = await commented(
    ada,
    { path: 'pump.txt', new_position: 5, body: 'A pump?' },
    { path: 'pump.txt', old_position: 5, body: 'Stay.' },
    { path: 'pump.txt', new_position: 6, body: 'And this?' },
  );
  const hunk = '@@ -2,4 +2,4 @@\n line 2\n line 3\n line 4\n-line 5\n+pump'.split('\n');
  assert.deepEqual([now.path, now.position, now.original_position, now.body], ['pump.txt', 5, 5, 'A pump?']);
  assert.deepEqual([now.commit_id, now.original_commit_id], [head, head]);
  assert.deepEqual([now.user.login, now.resolver, now.extra_lines_count], ['ada', null, 0]);
  assert.equal(now.pull_request_url, `${forge.url}/ada/engine/pulls/1`);
  assert.deepEqual(now.diff_hunk.split('\n').slice(-2), hunk.slice(-2));
  assert.match(now.diff_hunk, /^@@ -\d+,\d+ \+\d+,\d+ @@\n/);
  assert.deepEqual([old.position, old.original_position], [0, 5]);
  assert.equal(old.diff_hunk.split('\n').at(-1), '-line 5');
  assert.equal(around.diff_hunk.split('\n').at(-1), ' line 6');
  const one = await ada.get(`${REVIEWS}/${now.pull_request_review_id}/comments/${now.id}`);
  assert.deepEqual([one.status, one.body], [200, now]);
  assert.equal((await ada.get(PULL)).body.review_comments, 3);
});

test('a comment on several lines: from its position on, with a hunk that ends at the last line', async (t) => {
  const { ada } = await startPull(t);
  const [comment] = await commented(ada, { ...AT_VALVE, new_position: 1, extra_lines_count: 2 });
  assert.deepEqual([comment.position, comment.extra_lines_count], [1, 2]);
  assert.equal(comment.diff_hunk, '@@ -0,0 +1,3 @@\n+one\n+two\n+three');
});

test('422: positions outside of the differences, and comments that say nothing', async (t) => {
  const { ada, ben } = await startPull(t);
  await ada.post(`${ENGINE}/contents/picture.bin`, {
    content: Buffer.from([0, 1, 2]).toString('base64'),
    new_branch: 'pump',
    branch: 'pump',
  });
  const bad: readonly Wire[] = [
    { ...AT_VALVE, new_position: 4 },
    { ...AT_VALVE, new_position: 2, extra_lines_count: 2 },
    { ...AT_VALVE, new_position: 2, extra_lines_count: -1 },
    { ...AT_VALVE, new_position: -1 },
    { ...AT_VALVE, new_position: Number.MAX_SAFE_INTEGER },
    { ...AT_VALVE, new_position: 0 },
    { ...AT_VALVE, old_position: 2 },
    { path: 'valve.txt', old_position: 1, body: 'Why?' },
    { path: 'pump.txt', new_position: 1, body: 'Too far from the change.' },
    { path: 'pump.txt', new_position: 12, body: 'Too far from the change.' },
    { ...AT_VALVE, path: 'README.md' },
    { ...AT_VALVE, path: 'missing.txt' },
    { ...AT_VALVE, path: '' },
    { ...AT_VALVE, path: '../valve.txt' },
    { ...AT_VALVE, path: 'valve.txt\0' },
    { ...AT_VALVE, path: 'x'.repeat(5_000) },
    { ...AT_VALVE, body: ' ' },
    { ...AT_VALVE, body: 'x\0' },
    { ...AT_VALVE, body: 'x'.repeat(300_000) },
    { path: 'picture.bin', new_position: 1, body: 'No lines.' },
  ];
  const { id } = await review(ada, { body: 'A draft.' });
  for (const comment of bad) {
    const created = await ben.post(REVIEWS, { event: 'COMMENT', comments: [AT_VALVE, comment] });
    assert.equal(created.status, 422, JSON.stringify(comment).slice(0, 100));
    const added = await ada.post(`${REVIEWS}/${id}/comments`, comment);
    assert.equal(added.status, 422, JSON.stringify(comment).slice(0, 100));
  }
  assert.equal((await ada.get(PULL)).body.review_comments, 0);
  assert.equal((await ada.get(REVIEWS)).body.length, 1);
});

test('422: more comments than one request or one review has', async (t) => {
  const { ada, cyd } = await startPull(t);
  const { reviewCommentsAtOnceMax: countMax, reviewCommentsPerReviewMax } = PULL_LIMITS;
  assert.equal(2 * countMax, reviewCommentsPerReviewMax);
  const comments = Array<Wire>(countMax).fill(AT_VALVE);
  const tooMany = await ada.post(REVIEWS, { event: 'COMMENT', comments: [...comments, AT_VALVE] });
  assert.equal(tooMany.status, 422);
  assert.equal((await review(ada, { event: 'COMMENT', comments })).comments_count, countMax);
  const { id } = await review(cyd, { comments });
  assert.equal((await review(cyd, { comments })).comments_count, reviewCommentsPerReviewMax);
  assert.equal((await cyd.post(REVIEWS, { comments: [AT_VALVE] })).status, 422);
  assert.equal((await cyd.post(`${REVIEWS}/${id}/comments`, AT_VALVE)).status, 422);
  const done = await cyd.post(`${REVIEWS}/${id}`, { event: 'COMMENT' });
  assert.deepEqual([done.status, done.body.comments_count], [200, reviewCommentsPerReviewMax]);
  assert.equal((await ada.post(`${REVIEWS}/${id}/comments`, AT_VALVE)).status, 422);
  assert.equal((await ada.get(PULL)).body.review_comments, 3 * countMax);
});

test('422: a comment on more lines than one has', async (t) => {
  const { ada, ben } = await startPull(t);
  const { commentedLinesMax } = PULL_LIMITS;
  const lines = Array.from({ length: commentedLinesMax + 2 }, (_, index) => `${index}\n`);
  await commitFile(ben, 'long.txt', lines.join(''), { branch: 'pump' });
  const at = { path: 'long.txt', new_position: 1, body: 'Long.' };
  const bodyOf = (extraLines: number) => ({
    event: 'COMMENT',
    comments: [{ ...at, extra_lines_count: extraLines }],
  });
  assert.equal((await ada.post(REVIEWS, bodyOf(commentedLinesMax + 1))).status, 422);
  assert.equal((await ada.post(REVIEWS, bodyOf(commentedLinesMax))).status, 200);
});

test('a comment on an earlier commit stands at its line in the head', async (t) => {
  const { ada, ben, first, forge, head } = await startPull(t);
  await commitFile(ben, 'pump.txt', ['new\n', ...LINES.with(4, 'pump\n')].join(''), { branch: 'pump' });
  const { id } = await review(ada, {
    event: 'COMMENT',
    commit_id: first,
    comments: [{ path: 'pump.txt', new_position: 5, body: 'A pump?' }],
  });
  await settle(forge);
  const [comment] = (await ada.get(`${REVIEWS}/${id}/comments`)).body;
  assert.deepEqual([comment.position, comment.original_position], [6, 5]);
  assert.equal(comment.original_commit_id, first);
  assert.notEqual(comment.commit_id, head);
  assert.equal(comment.commit_id, (await ada.get(PULL)).body.head.sha);
  const late = [{ ...AT_VALVE, new_position: 1 }];
  const early = await ada.post(REVIEWS, { event: 'COMMENT', commit_id: first, comments: late });
  assert.equal(early.status, 422, 'the file came later');
});

test('200: a comment that is added to a review is visible with it, or at once', async (t) => {
  const { ada, cyd } = await startPull(t);
  const { id } = await review(cyd, { body: 'A draft.' });
  const pending = await cyd.post(`${REVIEWS}/${id}/comments`, AT_VALVE);
  assert.deepEqual([pending.status, pending.body.pull_request_review_id], [200, id]);
  assert.equal((await ada.post(`${REVIEWS}/${id}/comments`, AT_VALVE)).status, 404);
  assert.equal((await ada.get(PULL)).body.review_comments, 0);
  await cyd.post(`${REVIEWS}/${id}`, { event: 'COMMENT' });
  const added = await ada.post(`${REVIEWS}/${id}/comments`, { ...AT_VALVE, body: 'Because.' });
  assert.deepEqual([added.status, added.body.user.login], [200, 'ada']);
  assert.equal((await ada.get(PULL)).body.review_comments, 2);
  assert.equal((await ada.get(`${REVIEWS}/${id}`)).body.comments_count, 2);
  const { body: requests } = await ada.post(`${PULL}/requested_reviewers`, { reviewers: ['cyd'] });
  assert.equal((await ada.post(`${REVIEWS}/${requests[0].id}/comments`, AT_VALVE)).status, 422);
});

test('201: a reply has the lines of the comment, and belongs to its review', async (t) => {
  const { ada, ben } = await startPull(t);
  const [comment] = await commented(ada, AT_VALVE);
  const at = (id: number) => `${PULL}/comments/${id}/replies`;
  const reply = await ben.post(at(comment.id), { body: 'Because.' });
  assert.equal(reply.status, 201, reply.text);
  const { body, id, user, created_at, updated_at, ...others } = reply.body;
  assert.deepEqual([body, user.login], ['Because.', 'ben']);
  for (const key of ['path', 'position', 'diff_hunk', 'commit_id', 'pull_request_review_id'])
    assert.equal(others[key], comment[key], key);
  assert.equal((await ben.post(at(comment.id), { body: ' ' })).status, 422);
  assert.equal((await ben.post(at(id + 1), { body: 'x' })).status, 404);
  const bodies = (await ada.get(`${REVIEWS}/${comment.pull_request_review_id}/comments`)).body;
  assert.deepEqual(
    bodies.map((each: Wire) => each.body),
    ['Why?', 'Because.'],
  );
  assert.equal((await ada.get(PULL)).body.review_comments, 2);
});

test('404: a comment at the address of another review or pull request', async (t) => {
  const { ada, ben } = await startPull(t);
  const [comment] = await commented(ada, AT_VALVE);
  const other = await review(ben, { event: 'COMMENT', body: 'Hm.' });
  await openPull(ben, { base: 'pump', head: 'main', title: 'Back' });
  const review1 = comment.pull_request_review_id;
  const addresses = [
    `${REVIEWS}/${other.id}/comments/${comment.id}`,
    `${PULLS}/2/reviews/${review1}/comments/${comment.id}`,
    `${PULLS}/2/reviews/${review1}`,
    `${REVIEWS}/${review1}/comments/x`,
    `${REVIEWS}/${review1}/comments/0`,
  ];
  for (const address of addresses) {
    assert.equal((await ada.get(address)).status, 404, address);
    assert.equal((await ada.delete(address)).status, 404, address);
  }
  assert.equal((await ada.post(`${PULLS}/2/comments/${comment.id}/replies`, { body: 'x' })).status, 404);
});

test('deletion of a comment by its author or an administrator', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const dora = await forge.account('dora');
  await ada.put(`${ENGINE}/collaborators/dora`, { permission: 'admin' });
  const [one, two] = await commented(cyd, AT_VALVE, AT_VALVE);
  const at = ({ id }: Wire) => `${REVIEWS}/${one.pull_request_review_id}/comments/${id}`;
  assert.equal((await ben.delete(at(one))).status, 403);
  assert.equal((await cyd.delete(at(one))).status, 204);
  assert.equal((await cyd.delete(at(one))).status, 404);
  assert.equal((await dora.delete(at(two))).status, 204);
  assert.equal((await ada.get(PULL)).body.review_comments, 0);
  assert.equal((await ada.get(`${REVIEWS}/${one.pull_request_review_id}`)).body.comments_count, 0);
});

test('comments are resolved by the author of the pull request, writers, and those who may approve', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const dora = await forge.account('dora');
  const [comment] = await commented(cyd, AT_VALVE);
  const at = (word: string) => `${PULLS}/comments/${comment.id}/${word}`;
  const resolver = async () =>
    (await ada.get(`${REVIEWS}/${comment.pull_request_review_id}/comments`)).body[0].resolver?.login;
  assert.equal((await dora.post(at('resolve'))).status, 403);
  assert.equal((await cyd.post(at('resolve'))).status, 403);
  assert.equal((await ben.post(at('resolve'))).status, 204);
  assert.equal(await resolver(), 'ben');
  assert.equal((await ada.post(at('resolve'))).status, 204);
  assert.equal(await resolver(), 'ben', 'resolved already');
  assert.equal((await ada.post(at('unresolve'))).status, 204);
  assert.equal(await resolver(), undefined);
  await protect(ada, { enable_approvals_whitelist: true, approvals_whitelist_username: ['cyd'] });
  assert.equal((await cyd.post(at('resolve'))).status, 204);
  assert.equal((await ada.post(`${PULLS}/comments/${comment.id + 1}/resolve`)).status, 404);
});

test('comments follow their lines through pushes, and end with them', async (t) => {
  const { ada, ben, forge, head } = await startPull(t);
  const [pump, valve, both] = await commented(
    ada,
    { path: 'pump.txt', new_position: 5, body: 'A pump?' },
    { ...AT_VALVE, new_position: 3 },
    { ...AT_VALVE, new_position: 1, extra_lines_count: 2 },
  );
  const read = async () => {
    await settle(forge);
    const found = (await ada.get(`${REVIEWS}/${pump.pull_request_review_id}/comments`)).body;
    return found.map((each: Wire) => [each.path, each.position]);
  };
  const push = (path: string, lines: readonly string[]) =>
    commitFile(ben, path, lines.join(''), { branch: 'pump' });
  await push('pump.txt', ['a\n', 'b\n', ...LINES.with(4, 'pump\n')]);
  const unmoved = [
    ['valve.txt', 3],
    ['valve.txt', 1],
  ];
  assert.deepEqual(await read(), [['pump.txt', 7], ...unmoved]);
  await push('valve.txt', ['zero\n', 'one\n', 'and\n', 'two\n', 'three\n']);
  // Lines were added between those of the last comment.
  assert.deepEqual(await read(), [
    ['pump.txt', 7],
    ['valve.txt', 5],
    ['valve.txt', 0],
  ]);
  const tip = await push('pump.txt', ['a\n', ...LINES.with(4, 'another\n')]);
  assert.deepEqual((await read())[0], ['pump.txt', 0]);
  const [gone, moved, split] = (await ada.get(`${REVIEWS}/${pump.pull_request_review_id}/comments`)).body;
  assert.deepEqual([gone.original_position, moved.original_position, split.original_position], [5, 3, 1]);
  assert.deepEqual([gone.original_commit_id, gone.commit_id], [head, tip]);
  assert.deepEqual([gone.diff_hunk, moved.diff_hunk], [pump.diff_hunk, valve.diff_hunk]);
  assert.equal(split.body, both.body);
  // What is gone does not come back with the same text.
  await push('pump.txt', LINES.with(4, 'pump\n'));
  assert.deepEqual((await read())[0], ['pump.txt', 0]);
});

test('comments follow a renamed file, and end with a deleted one', async (t) => {
  const { ada, ben, forge } = await startPull(t);
  const [valve] = await commented(ada, AT_VALVE);
  const read = async () => {
    await settle(forge);
    const [comment] = (await ada.get(`${REVIEWS}/${valve.pull_request_review_id}/comments`)).body;
    return [comment.path, comment.position];
  };
  const sha = (await ben.get(`${ENGINE}/contents/valve.txt?ref=pump`)).body.sha;
  const content = Buffer.from('one\ntwo\nthree\n').toString('base64');
  const renamed = { content, from_path: 'valve.txt', sha, branch: 'pump' };
  assert.equal((await ben.put(`${ENGINE}/contents/tap.txt`, renamed)).status, 200);
  assert.deepEqual(await read(), ['tap.txt', 2]);
  assert.equal((await ben.delete(`${ENGINE}/contents/tap.txt`, { sha, branch: 'pump' })).status, 200);
  assert.deepEqual(await read(), ['tap.txt', 0]);
});

test('a comment on the new side that names a renamed file by its old path follows the file', async (t) => {
  const { ada, ben, forge } = await startPull(t);
  const { sha } = (await ben.get(`${ENGINE}/contents/pump.txt?ref=pump`)).body;
  const content = Buffer.from(LINES.with(4, 'pump\n').join('')).toString('base64');
  const renamed = { content, from_path: 'pump.txt', sha, branch: 'pump' };
  assert.equal((await ben.put(`${ENGINE}/contents/tap.txt`, renamed)).status, 200);
  const [now, old] = await commented(
    ada,
    { path: 'pump.txt', new_position: 5, body: 'A pump?' },
    { path: 'pump.txt', old_position: 5, body: 'Stay.' },
  );
  assert.deepEqual([now.path, now.position], ['tap.txt', 5]);
  assert.deepEqual([old.path, old.original_position], ['pump.txt', 5]);
  const read = async () => {
    await settle(forge);
    const [comment] = (await ada.get(`${REVIEWS}/${now.pull_request_review_id}/comments`)).body;
    return [comment.path, comment.position];
  };
  await commitFile(ben, 'tap.txt', ['new\n', ...LINES.with(4, 'pump\n')].join(''), { branch: 'pump' });
  assert.deepEqual(await read(), ['tap.txt', 6]);
  const tap = (await ben.get(`${ENGINE}/contents/tap.txt?ref=pump`)).body;
  assert.equal(
    (await ben.delete(`${ENGINE}/contents/tap.txt`, { sha: tap.sha, branch: 'pump' })).status,
    200,
  );
  assert.deepEqual(await read(), ['tap.txt', 0]);
});

test('comments on the old side follow the base into the head', async (t) => {
  const { ada, ben, forge } = await startPull(t);
  const [old] = await commented(ada, { path: 'pump.txt', old_position: 5, body: 'Stay.' });
  const read = async () => {
    await settle(forge);
    const [comment] = (await ada.get(`${REVIEWS}/${old.pull_request_review_id}/comments`)).body;
    return [comment.position, comment.original_position];
  };
  await commitFile(ben, 'gauge.txt', 'x\n', { branch: 'pump' });
  assert.deepEqual(await read(), [0, 5]);
  await commitFile(ada, 'pump.txt', ['new\n', ...LINES].join(''));
  assert.deepEqual(await read(), [0, 5]);
  assert.equal((await ben.post(`${PULL}/update?style=merge`)).status, 200);
  assert.deepEqual(await read(), [0, 6]);
});

test('403: comments for viewers who may read pull requests, but not the code', async (t) => {
  const { ada, forge } = await startPull(t);
  const dora = await forge.account('dora');
  await forge.root.post('/api/v1/orgs', { username: 'guild' });
  await ada.post(`${ENGINE}/transfer`, { new_owner: 'guild' });
  const [transfer] = [await forge.root.post(`${ENGINE}/transfer/accept`)];
  assert.equal(transfer?.status, 202, transfer?.text);
  const engine = '/api/v1/repos/guild/engine';
  assert.equal((await forge.root.patch(engine, { private: true })).status, 200);
  const units = { 'repo.pulls': 'write', 'repo.issues': 'write' };
  const team = await forge.root.post('/api/v1/orgs/guild/teams', {
    name: 'talkers',
    permission: 'write',
    units_map: units,
    includes_all_repositories: true,
  });
  assert.equal(team.status, 201, team.text);
  await forge.root.put(`/api/v1/teams/${team.body.id}/members/dora`);
  const reviews = `${engine}/pulls/1/reviews`;
  const { id } = (await forge.root.post(reviews, { event: 'COMMENT', comments: [AT_VALVE] } satisfies Wire))
    .body;
  assert.equal((await dora.get(`${reviews}/${id}`)).status, 200);
  assert.equal((await dora.get(`${reviews}/${id}/comments`)).status, 403);
  assert.equal((await dora.post(reviews, { event: 'APPROVED' })).status, 403);
});

test('a comment of a deleted account stays, and comments of one thread stay with the pull request', async (t) => {
  const { ada, cyd, forge } = await startPull(t);
  const [comment] = await commented(cyd, AT_VALVE);
  assert.equal((await forge.root.delete('/api/v1/admin/users/cyd')).status, 204);
  const [left] = (await ada.get(`${REVIEWS}/${comment.pull_request_review_id}/comments`)).body;
  assert.deepEqual([left.user.login, left.body], ['Ghost', 'Why?']);
  assert.equal((await ada.delete(`${ENGINE}/issues/1`)).status, 204);
  assert.equal((await ada.get(REVIEWS)).status, 404);
});

test('a reviewer of a fork reads the differences in the repository of the base', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  await forkEngine(cyd, 'tap');
  await openPull(cyd, { head: 'cyd:tap', title: 'Tap' });
  const reviews = `${PULLS}/2/reviews`;
  const comments = [{ path: 'tap.txt', new_position: 1, body: 'A tap?' }];
  const done = await ben.post(reviews, { event: 'REQUEST_CHANGES', comments });
  assert.equal(done.status, 200, done.text);
  await commitFile(cyd, 'tap.txt', 'a\ntap\n', { repository: FORK, branch: 'tap' });
  await settle(forge);
  const [comment] = (await ada.get(`${reviews}/${done.body.id}/comments`)).body;
  assert.equal(comment.position, 2);
  assert.equal((await ada.get(`${reviews}/${done.body.id}`)).body.stale, true);
});

test('a merged pull request takes comments on its lines, but no verdict', async (t) => {
  const { ada, ben, cyd } = await startPull(t);
  await review(ada, { event: 'APPROVED' });
  assert.equal((await merge(ben)).status, 200);
  const [comment] = await commented(cyd, AT_VALVE);
  assert.equal(comment.position, 2);
  assert.equal((await cyd.post(REVIEWS, { event: 'APPROVED' })).status, 422);
  assert.equal((await entries(ada, 'review')).length, 2);
});
