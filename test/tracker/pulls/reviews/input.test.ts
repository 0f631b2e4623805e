import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PULL_LIMITS } from '../../../../src/tracker/pulls/limits.ts';
import { severalAtOnce } from '../../../support/several-at-once.ts';
import type { Wire } from '../../issues/tracker.ts';
import { commitFile, ENGINE, PULLS } from '../pulls.ts';
import { AT_VALVE, commented, PULL, REQUESTS, REVIEWS, review, startPull, states } from './reviewing.ts';

test('bodies of other types are rejected', async (t) => {
  const { ada, cyd } = await startPull(t);
  const { id } = await review(cyd, { body: 'A draft.' });
  const bodies: readonly (readonly [url: string, bodies: readonly unknown[]])[] = [
    [
      REVIEWS,
      [
        [],
        'APPROVED',
        { event: 1 },
        { event: ['APPROVED'] },
        { event: 'approved' },
        { event: 'REQUEST_REVIEW' },
        { event: 'COMMENT', body: {} },
        { event: 'COMMENT', body: 'x\0y' },
        { event: 'COMMENT', body: '\ud800' },
        { event: 'COMMENT', body: 'x'.repeat(262_145) },
        { event: 'APPROVED', commit_id: 7 },
        { event: 'COMMENT', comments: {} },
        { event: 'COMMENT', comments: [null] },
        { event: 'COMMENT', comments: ['x'] },
        { event: 'COMMENT', comments: [{ ...AT_VALVE, new_position: '2x' }] },
        { event: 'COMMENT', comments: [{ ...AT_VALVE, new_position: 1.5 }] },
        { event: 'COMMENT', comments: [{ ...AT_VALVE, new_position: 1e300 }] },
        { event: 'COMMENT', comments: [{ ...AT_VALVE, path: ['valve.txt'] }] },
      ],
    ],
    [`${REVIEWS}/${id}`, [[], { event: null }, { event: 'COMMENT', body: [] }]],
    [`${REVIEWS}/${id}/comments`, [[], {}, { path: 'valve.txt' }, { ...AT_VALVE, body: 5 }]],
    [REQUESTS, [[], { reviewers: [5] }, { reviewers: [['cyd']] }, { team_reviewers: {} }]],
  ];
  for (const [url, list] of bodies)
    for (const body of list) {
      const { status } = await cyd.post(url, body);
      assert.ok(status >= 400 && status < 500, `${url} ${JSON.stringify(body).slice(0, 80)}: ${status}`);
    }
  assert.deepEqual(await states(cyd), ['PENDING']);
  const approved = await review(ada, { event: 'APPROVED' });
  const dismissals = `${REVIEWS}/${approved.id}/dismissals`;
  for (const body of [[], { message: 5 }, { message: 'x\0' }, { message: 'x'.repeat(70_000) }]) {
    const { status } = await ada.post(dismissals, body);
    assert.ok(status === 400 || status === 422, `${status}`);
  }
});

test('404: addresses that name nothing', async (t) => {
  const { ada } = await startPull(t);
  await ada.post(`${ENGINE}/issues`, { title: 'An issue' });
  const { id } = await review(ada, { event: 'COMMENT', body: 'Hm.' });
  const huge = '9223372036854775808';
  for (const number of ['2', '99', '0', '-1', 'x', huge, '1%00']) {
    const at = `${PULLS}/${number}`;
    for (const path of ['reviews', `reviews/${id}`, `reviews/${id}/comments`])
      assert.equal((await ada.get(`${at}/${path}`)).status, 404, `${number} ${path}`);
    assert.equal((await ada.post(`${at}/reviews`, { event: 'APPROVED' })).status, 404);
    assert.equal((await ada.post(`${at}/requested_reviewers`, { reviewers: ['cyd'] })).status, 404);
  }
  for (const review1 of ['0', '-1', 'x', huge, '1%00', '1e3']) {
    const { status } = await ada.get(`${REVIEWS}/${review1}`);
    assert.ok(status === 404 || status === 422 || status === 400, `${review1}: ${status}`);
    assert.equal((await ada.get(`${REVIEWS}/${id}/comments/${review1}`)).status, 404, review1);
  }
});

test('401 and 403: callers without an account, and tokens without the scope', async (t) => {
  const { cyd, forge } = await startPull(t);
  for (const [method, url] of [
    ['POST', REVIEWS],
    ['POST', `${REVIEWS}/1`],
    ['DELETE', `${REVIEWS}/1`],
    ['POST', `${REVIEWS}/1/comments`],
    ['POST', REQUESTS],
    ['DELETE', REQUESTS],
    ['POST', `${REVIEWS}/1/dismissals`],
    ['POST', `${PULLS}/comments/1/resolve`],
  ] as const) {
    assert.equal((await forge.send(method, url, { json: { event: 'APPROVED' } })).status, 401, url);
    const token = await cyd.tokenFor(['read:repository', 'write:issue']);
    const limited = await forge.send(method, url, { as: { token }, json: { event: 'APPROVED' } });
    assert.equal(limited.status, 403, url);
  }
  assert.equal((await forge.get(REVIEWS)).status, 200);
});

test('two requests at once begin one pending review', async (t) => {
  const { cyd } = await startPull(t);
  const answers = await severalAtOnce(
    Array.from({ length: 6 }, () => ({ body: 'A draft.', comments: [AT_VALVE] })),
    (body) => cyd.post(REVIEWS, body),
  );
  assert.deepEqual(new Set(answers.map(({ status }: Wire) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }: Wire) => body.id)).size, 1);
  assert.deepEqual(
    (await cyd.get(REVIEWS)).body.map((each: Wire) => each.comments_count),
    [6],
  );
});

test('two submissions at once: one of them is too late', async (t) => {
  const { cyd } = await startPull(t);
  const { id } = await review(cyd, { body: 'A draft.' });
  const answers = await severalAtOnce(['APPROVED', 'REQUEST_CHANGES'], (event) =>
    cyd.post(`${REVIEWS}/${id}`, { event }),
  );
  assert.deepEqual(answers.map(({ status }: Wire) => status).toSorted(), [200, 422]);
});

test('two requests for one reviewer at once make one', async (t) => {
  const { ada, ben } = await startPull(t);
  const answers = await severalAtOnce([ada, ben, ada, ben], (who) =>
    who.post(REQUESTS, { reviewers: ['cyd'] }),
  );
  assert.deepEqual(new Set(answers.map(({ status }: Wire) => status)), new Set([201]));
  assert.deepEqual(await states(ada), ['REQUEST_REVIEW']);
});

test('a long hunk and a long line are cut', async (t) => {
  const { ada, ben } = await startPull(t);
  const lines = Array.from({ length: 150 }, (_, index) => `${index} ${'x'.repeat(3_000)}\n`);
  await commitFile(ben, 'long.txt', lines.join(''), { branch: 'pump' });
  const [comment] = await commented(ada, {
    path: 'long.txt',
    new_position: 1,
    extra_lines_count: 149,
    body: 'Long.',
  });
  assert.ok(comment.diff_hunk.length <= PULL_LIMITS.commentedHunkCharsMax);
  assert.match(comment.diff_hunk, /\n\+149 x+$/);
  assert.equal((await ada.get(PULL)).body.review_comments, 1);
});
