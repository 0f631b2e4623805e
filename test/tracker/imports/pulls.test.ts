import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ALLOWED, MIGRATE } from '../../hosting/mirrors/sync.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { open, type Wire } from '../issues/tracker.ts';
import { commitFile, ENGINE, openPull, PULLS, settle } from '../pulls/pulls.ts';

const ALL = { issues: true, labels: true, milestones: true, pull_requests: true };
const COPY = '/api/v1/repos/ben/engine';
const [OPEN, MERGED, CLOSED, FROM_FORK, LOCKED] = [2, 3, 4, 5, 6];

/** Starts a forge with ada's repository `engine`, which has an issue and pull requests in all states. */
async function startPulls(t: TestContext) {
  const source = await startForge(t);
  const [ada, cid] = [await source.account('ada'), await source.account('cid')];
  await ada.repository('engine', { auto_init: true });
  await ada.put(`${ENGINE}/collaborators/cid`, { permission: 'write' });
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'kind/odd', color: '#00aabb' })).body;
  const milestone = (await ada.post(`${ENGINE}/milestones`, { title: 'One' })).body;
  await open(ada, 'It rattles', { milestone: milestone.id });
  for (const branch of ['pump', 'gear', 'valve', 'lock'])
    await commitFile(cid, `${branch}.txt`, `${branch}\n`, { branch, from: 'main' });
  await openPull(cid, {
    body: 'It *pumps*, see #1',
    labels: [label.id],
    milestone: milestone.id,
    due_date: '2032-05-06T00:00:00Z',
    assignees: ['ada'],
  });
  await openPull(ada, { title: 'Add a gear', head: 'gear', labels: [label.id] });
  await openPull(cid, { title: 'WIP: Add a valve', head: 'valve', milestone: milestone.id });
  assert.equal((await cid.post(`${ENGINE}/forks`, { name: 'spare' })).status, 202);
  const fork = { repository: '/api/v1/repos/cid/spare', branch: 'belt', from: 'main' };
  await commitFile(cid, 'belt.txt', 'belt\n', fork);
  await openPull(cid, { title: 'Add a belt', head: 'cid/spare:belt' });
  await openPull(cid, { title: 'Add a lock', head: 'lock' });
  await ada.put(`${ENGINE}/issues/${LOCKED}/lock`, { lock_reason: 'Spam' });
  assert.equal((await ada.post(`${ENGINE}/issues/${LOCKED}/pin`)).status, 204);
  assert.equal((await ada.post(`${PULLS}/${MERGED}/merge`, { Do: 'squash' })).status, 200);
  assert.equal((await cid.patch(`${PULLS}/${CLOSED}`, { state: 'closed' })).status, 201);
  assert.equal((await ada.delete(`${ENGINE}/branches/valve`)).status, 204);
  const review = {
    event: 'REQUEST_CHANGES',
    body: 'It leaks',
    comments: [{ path: 'pump.txt', new_position: 1, body: 'Here, @ada' }],
  };
  assert.equal((await ada.post(`${PULLS}/${OPEN}/reviews`, review)).status, 200);
  await commitFile(cid, 'pump.txt', 'a seal\npump\n', { branch: 'pump' });
  assert.equal((await ada.post(`${PULLS}/${FROM_FORK}/reviews`, { event: 'APPROVED' })).status, 200);
  assert.equal(
    (await cid.post(`${PULLS}/${LOCKED}/requested_reviewers`, { reviewers: ['ada'] })).status,
    201,
  );
  for (const [who, number, body] of [
    [ada, OPEN, 'Where is its spanner?'],
    [cid, 1, 'Here'],
    [cid, OPEN, 'Here, too'],
  ] as const)
    assert.equal((await who.post(`${ENGINE}/issues/${number}/comments`, { body })).status, 201);
  await settle(source);
  return { source, ada, cid };
}

function migrate(to: Person, source: TestForge, token: string, items: object = ALL) {
  const body = { clone_addr: `${source.url}/ada/engine`, repo_name: 'engine', service: 'gitea' };
  return to.post(MIGRATE, { ...body, auth_token: token, ...items });
}

async function listOf(who: Person, path: string): Promise<readonly Wire[]> {
  const answer = await who.get(path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** The fields of a pull request that an import keeps. */
function kept(pull: Wire) {
  const names = [
    'number',
    'title',
    'body',
    'state',
    'draft',
    'is_locked',
    'comments',
    'due_date',
    'pin_order',
  ];
  const ofMerge = ['mergeable', 'merged', 'merged_at', 'merge_commit_sha', 'merge_base', 'flow'];
  const times = ['created_at', 'updated_at', 'closed_at'];
  const sizes = ['additions', 'deletions', 'changed_files'];
  return {
    fields: [...names, ...ofMerge, ...times, ...sizes].map((name) => [name, pull[name]]),
    labels: pull.labels.map(({ name }: Wire) => name),
    milestone: pull.milestone?.title,
    base: [pull.base.label, pull.base.ref, pull.base.sha],
    head: [pull.head.label, pull.head.sha],
  };
}

test('a migration from a Gitea server copies pull requests in all states, with their heads', async (t) => {
  const { source, ada } = await startPulls(t);
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');

  const made = await migrate(ben, source, ada.token);

  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.body.open_issues_count, made.body.open_pr_counter], [1, 3]);
  await settle(forge);
  const pullsOf = async (who: Person, path: string) => {
    const numbers = (await listOf(who, `${path}/pulls?state=all`)).map(({ number }) => number);
    return Promise.all(numbers.map(async (number) => (await who.get(`${path}/pulls/${number}`)).body));
  };
  const [here, there] = [await pullsOf(ben, COPY), await pullsOf(ada, ENGINE)];
  assert.deepEqual(here.map(kept), there.map(kept));
  assert.deepEqual(
    here.map(({ number, user, head }) => [number, user.login, head.ref, head.repo?.full_name ?? null]),
    [
      [LOCKED, 'Ghost', 'lock', 'ben/engine'],
      [FROM_FORK, 'Ghost', 'refs/pull/5/head', null],
      [CLOSED, 'Ghost', 'refs/pull/4/head', 'ben/engine'],
      [MERGED, 'Ghost', 'gear', 'ben/engine'],
      [OPEN, 'Ghost', 'pump', 'ben/engine'],
    ],
  );
  for (const { number, head } of here) {
    const ref = await ben.get(`${COPY}/git/refs/pull/${number}/head`);
    assert.deepEqual([ref.body.object.sha, ref.body.object.type], [head.sha, 'commit']);
    assert.equal((await ben.get(`${COPY}/git/commits/${head.sha}`)).status, 200);
  }
  const issue = (await ben.get(`${COPY}/issues/${OPEN}`)).body;
  assert.deepEqual([issue.original_author, issue.assignees], ['cid', null]);
  const comments = await listOf(ben, `${COPY}/issues/comments`);
  assert.deepEqual(
    comments.map(({ body, original_author, pull_request_url }) => [body, original_author, pull_request_url]),
    [
      ['Where is its spanner?', 'ada', `${forge.url}/ben/engine/pulls/${OPEN}`],
      ['Here', 'cid', ''],
      ['Here, too', 'cid', `${forge.url}/ben/engine/pulls/${OPEN}`],
    ],
  );
  assert.deepEqual(
    (await listOf(ben, `${COPY}/milestones`)).map(({ open_issues: count }) => count),
    [2],
  );
  assert.deepEqual(
    (await listOf(ben, `${COPY}/issues?type=pulls&q=spanner`)).map(({ number }) => number),
    [OPEN],
    'a search finds the words of a comment',
  );
  assert.equal((await open(ben, 'Next', {}, `${COPY}/issues`)).number, 7);
});

test('a migration copies reviews, whose comments follow their lines here, too', async (t) => {
  const { source, ada } = await startPulls(t);
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  assert.equal((await migrate(ben, source, ada.token)).status, 201);
  await settle(forge);
  const reviewsOf = async (who: Person, path: string) => {
    const reviews = await Promise.all(
      [OPEN, FROM_FORK].map((number) => listOf(who, `${path}/pulls/${number}/reviews`)),
    );
    const comments = await Promise.all(
      reviews
        .flat()
        .map(({ id }, at) =>
          listOf(who, `${path}/pulls/${at === 0 ? OPEN : FROM_FORK}/reviews/${id}/comments`),
        ),
    );
    const times = ['submitted_at', 'updated_at', 'created_at'];
    const ofReview = ['state', 'body', 'commit_id', 'stale', 'official', 'dismissed', 'comments_count'];
    const ofComment = ['path', 'body', 'commit_id', 'original_commit_id', 'diff_hunk', 'position'];
    const names = [...times, ...ofReview, ...ofComment, 'original_position', 'extra_lines_count'];
    const all = [...reviews.flat(), ...comments.flat()];
    return all.map((record) => names.map((name) => [name, record[name]]));
  };

  const [here, there] = [await reviewsOf(ben, COPY), await reviewsOf(ada, ENGINE)];

  assert.deepEqual(here, there);
  assert.equal(here.length, 3);
  const [review] = await listOf(ben, `${COPY}/pulls/${OPEN}/reviews`);
  assert.equal(review.user.login, 'Ghost');
  const [comment] = await listOf(ben, `${COPY}/pulls/${OPEN}/reviews/${review.id}/comments`);
  assert.deepEqual([comment.position, comment.original_position], [2, 1], 'the line has moved at the source');
  const at = { repository: COPY, branch: 'pump' };
  const tip = await commitFile(ben, 'pump.txt', 'a seal\na valve\npump\n', at);
  await settle(forge);
  const [moved] = await listOf(ben, `${COPY}/pulls/${OPEN}/reviews/${review.id}/comments`);
  assert.deepEqual([moved.position, moved.commit_id], [3, tip]);
  const leftOut = (await ben.get('/api/v1/user/migrations')).body[0].left_out;
  assert.deepEqual(leftOut, [
    'assignments to users without an account here: 1',
    'requests for reviews by users without an account here: 1',
  ]);
});

test('an imported pull request follows its branch, and can be merged', async (t) => {
  const { source, ada } = await startPulls(t);
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  assert.equal((await migrate(ben, source, ada.token)).status, 201);
  const at = { repository: COPY, branch: 'pump' };

  const tip = await commitFile(ben, 'pump.txt', 'two pumps\n', at);

  assert.equal((await ben.get(`${COPY}/git/refs/pull/${OPEN}/head`)).body.object.sha, tip);
  await settle(forge);
  const read = (await ben.get(`${COPY}/pulls/${OPEN}`)).body;
  assert.deepEqual([read.head.sha, read.mergeable], [tip, true]);
  for (const number of [OPEN, FROM_FORK]) {
    const merged = await ben.post(`${COPY}/pulls/${number}/merge`, { Do: 'merge' });
    assert.equal(merged.status, 200, merged.text);
  }
  for (const file of ['pump.txt', 'belt.txt'])
    assert.equal((await ben.get(`${COPY}/contents/${file}`)).status, 200, file);
  const again = await ben.post(`${COPY}/pulls`, { title: 'Again', base: 'main', head: 'lock' });
  assert.equal(again.status, 409, 'the two branches have an imported pull request');
  const kinds = (await eventsOf(forge.forge.running.engines.database, 'pull')).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['pull.synchronized', 'pull.merged', 'pull.merged'], 'the import has no events');
});

test('a migration copies pull requests without issues, or issues without pull requests, as requested', async (t) => {
  const { source, ada } = await startPulls(t);
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  const numbersOf = async (items: object) => {
    assert.equal((await migrate(ben, source, ada.token, items)).status, 201);
    const issues = await listOf(ben, `${COPY}/issues?state=all`);
    const comments = await listOf(ben, `${COPY}/issues/comments`);
    const next = await open(ben, 'Next', {}, `${COPY}/issues`);
    const ref = await ben.get(`${COPY}/git/refs/pull/${OPEN}/head`);
    assert.equal((await ben.delete(COPY)).status, 204);
    return {
      numbers: issues.map(({ number }) => number),
      comments: comments.map(({ body }) => body),
      next: next.number,
      ref: ref.status,
    };
  };

  assert.deepEqual(await numbersOf({ pull_requests: true }), {
    numbers: [6, 5, 4, 3, 2],
    comments: ['Where is its spanner?', 'Here, too'],
    next: 7,
    ref: 200,
  });
  assert.deepEqual(await numbersOf({ issues: true }), {
    numbers: [1],
    comments: ['Here'],
    next: 7,
    ref: 404,
  });
});

test('a migration copies what the source has if issues or pull requests are switched off there', async (t) => {
  const { source, ada } = await startPulls(t);
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  const copied = async (units: object, items: object) => {
    assert.equal((await ada.patch(ENGINE, units)).status, 200);
    const made = await migrate(ben, source, ada.token, items);
    assert.equal(made.status, 201, made.text);
    const issues = await listOf(ben, `${COPY}/issues?state=all`);
    const comments = await listOf(ben, `${COPY}/issues/comments`);
    const labels = await listOf(ben, `${COPY}/labels`);
    const [{ left_out: leftOut }] = await listOf(ben, '/api/v1/user/migrations?limit=1');
    assert.equal((await ben.delete(COPY)).status, 204);
    return {
      counts: [issues.length, comments.length, labels.length],
      missing: leftOut.filter((line: string) => line.startsWith('lists of')),
    };
  };
  const missing = (...kinds: readonly string[]) =>
    kinds.map((kind) => `lists of ${kind} that the source does not have: 1`);

  const noIssues = { has_issues: false };
  assert.deepEqual(await copied(noIssues, { pull_requests: true }), { counts: [5, 2, 1], missing: [] });
  assert.deepEqual(await copied(noIssues, ALL), { counts: [5, 2, 1], missing: missing('issues') });
  const noPulls = { has_issues: true, has_pull_requests: false };
  assert.deepEqual(await copied(noPulls, { issues: true }), { counts: [1, 1, 0], missing: [] });
  assert.deepEqual(await copied(noPulls, ALL), { counts: [1, 1, 1], missing: missing('pull requests') });
  assert.deepEqual(await copied({ has_issues: false, has_pull_requests: false }, ALL), {
    counts: [0, 0, 0],
    missing: missing('labels', 'milestones', 'issues', 'pull requests'),
  });
});
