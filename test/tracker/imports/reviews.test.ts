import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { IMPORT_LIMITS } from '../../../src/tracker/imports/limits.ts';
import { PULL_LIMITS } from '../../../src/tracker/pulls/limits.ts';
import { placeOf, serveSite, startServerProcess } from '../../code/transport/server-process.ts';
import { commitTo, startBackend } from '../../hosting/mirrors/backend.ts';
import { ALLOWED, hurried, MIGRATE } from '../../hosting/mirrors/sync.ts';
import { endLeases, releaseJobs } from '../../support/database/job-leases.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { git } from '../../support/git/git.ts';
import { request } from '../../support/http/http.ts';
import { until } from '../../support/until.ts';
import type { Wire } from '../issues/tracker.ts';
import { commitFile, settle } from '../pulls/pulls.ts';
import { startFakeFamily } from './source.ts';

const ALL = { issues: true, labels: true, milestones: true, pull_requests: true };
const COPY = '/api/v1/repos/ben/engine';
const STAGED = [
  'staged_issues',
  'staged_comments',
  'staged_pulls',
  'staged_review_requests',
  'staged_reviews',
  'staged_review_comments',
] as const;
const TIMES = { created_at: '2024-01-02T03:04:05Z', updated_at: '2024-01-02T03:04:05Z' };
const MISSING = /the commits of the head are missing/;
const NO_COMMIT = 'e'.repeat(40);
const HUNK = '@@ -1,2 +1,3 @@\n one\n-two\n+zwei\n+drei';

type Answers = Record<string, unknown>;

/** The record that the list of issues has of a pull request. */
function issueOf(number: number, fields: object = {}) {
  return {
    ...{
      id: number,
      number,
      title: `Pull ${number}`,
      body: '',
      state: 'open',
      user: { id: 7, login: 'ada' },
    },
    ...{ ...TIMES, labels: [], milestone: null, pull_request: { merged: false } },
    ...fields,
  };
}

/** A record of a pull request from `pump` to `main`. */
function pullOf(number: number, sha: string, fields: object = {}) {
  return {
    ...{ ...issueOf(number), merged: false, merge_base: '', flow: 0 },
    base: { label: 'main', ref: 'main', sha: NO_COMMIT, repo_id: 3 },
    head: { label: 'pump', ref: 'pump', sha, repo_id: 3 },
    ...fields,
  };
}

function reviewOf(id: number, fields: object = {}) {
  return {
    ...{ id, user: { id: 8, login: 'cid' }, state: 'APPROVED', body: `Review ${id}`, commit_id: NO_COMMIT },
    ...{ stale: false, official: true, dismissed: false, comments_count: 0 },
    ...{ submitted_at: '2024-01-03T00:00:00Z', updated_at: '2024-01-03T00:00:00Z' },
    ...fields,
  };
}

function lineCommentOf(id: number, fields: object = {}) {
  return {
    ...{
      id,
      body: `Comment ${id}`,
      path: 'pump.txt',
      user: { id: 8, login: 'cid' },
      resolver: null,
      ...TIMES,
    },
    ...{ commit_id: NO_COMMIT, original_commit_id: '', diff_hunk: HUNK, position: 2, original_position: 0 },
    ...fields,
  };
}

/** Starts a source with a branch `pump`, whose API has these records; and a forge that copies from it. */
async function startPair(t: TestContext, answersOf: (head: string) => Answers, options = ALLOWED) {
  let answers: Answers = {};
  const { url, records, ada } = await startFakeFamily(t, (path) => (path in answers ? answers[path] : 404));
  await commitFile(ada, 'README.md', 'engine\n');
  const head = await commitFile(ada, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  answers = { ...records, ...answersOf(head) };
  const forge = await startForge(t, options);
  const ben = await forge.account('ben');
  const migrate = () =>
    hurried(forge, ben.post(MIGRATE, { clone_addr: url, repo_name: 'engine', service: 'gitea', ...ALL }));
  const leftOut = async () => (await ben.get('/api/v1/user/migrations')).body[0].left_out;
  return { forge, ben, head, ada, url, migrate, leftOut };
}

function rowsOf(
  { forge }: TestForge,
  table: 'pulls' | 'pull_reviews' | 'pull_review_comments' | (typeof STAGED)[number],
): Promise<readonly Wire[]> {
  const order = table.startsWith('staged') ? 'repository_id' : table === 'pulls' ? 'number' : 'id';
  const { reader } = forge.running.engines.database;
  return reader
    .selectFrom(table as 'pull_reviews')
    .selectAll()
    .orderBy(order as 'id')
    .execute();
}

test('a migration copies reviews with their comments on lines, and shows them in the timeline', async (t) => {
  const { forge, ben, head, migrate, leftOut } = await startPair(t, (sha) => ({
    issues: [issueOf(4)],
    pulls: [
      pullOf(4, sha, {
        requested_reviewers: [null, { id: 9, login: 'dora' }],
        requested_reviewers_teams: [{ id: 5, name: 'Fixers' }],
      }),
    ],
    'issues/comments': [
      {
        ...TIMES,
        id: 5,
        body: 'Before',
        pull_request_url: 'https://x/y/pulls/4',
        created_at: '2024-01-02T10:00:00Z',
      },
      {
        ...TIMES,
        id: 6,
        body: 'After',
        pull_request_url: 'https://x/y/pulls/4',
        created_at: '2024-01-04T00:00:00Z',
      },
    ],
    'pulls/4/reviews': [
      reviewOf(11, { state: 'REQUEST_CHANGES', commit_id: sha, stale: true, comments_count: 5 }),
      reviewOf(12, { dismissed: true, official: false, user: null, submitted_at: '2024-01-05T00:00:00Z' }),
      reviewOf(13, { state: 'COMMENT', body: '', comments_count: undefined }),
      reviewOf(14, { state: 'PENDING' }),
      reviewOf(15, { state: 'REQUEST_REVIEW', user: { id: 9, login: 'dora' } }),
      reviewOf(16, { state: 'REQUEST_REVIEW', user: null, team: { id: 5, name: 'Fixers' } }),
    ],
    'pulls/4/reviews/11/comments': [
      lineCommentOf(21),
      lineCommentOf(22, { position: 0, original_position: 2, diff_hunk: '@@ -1,2 +1 @@\n one\n-two' }),
      lineCommentOf(23, { position: 0, original_position: 3 }),
      lineCommentOf(24, {
        ...{ position: 5, original_position: 3, extra_lines_count: 1 },
        ...{ commit_id: sha, original_commit_id: NO_COMMIT, resolver: { id: 9, login: 'dora' } },
      }),
      lineCommentOf(25, { position: 0, original_position: 0 }),
    ],
    'pulls/4/reviews/13/comments': [lineCommentOf(26)],
  }));

  const made = await migrate();

  assert.equal(made.status, 201, made.text);
  const reviews = await rowsOf(forge, 'pull_reviews');
  assert.deepEqual(
    reviews.map((row) => [row.state, row.body, row.commit_sha, row.original_author, row.original_author_id]),
    [
      ['rejected', 'Review 11', head, 'cid', 8],
      ['approved', 'Review 12', NO_COMMIT, '', 0],
      ['comment', '', NO_COMMIT, 'cid', 8],
    ],
  );
  assert.deepEqual(
    reviews.map((row) => [row.is_official, row.is_stale, row.is_dismissed, row.comments_count]),
    [
      [1, 1, 0, 5],
      [0, 0, 1, 0],
      [1, 0, 0, 1],
    ],
  );
  assert.deepEqual(
    reviews.map((row) => row.created_at),
    ['2024-01-03', '2024-01-05', '2024-01-03'].map((day) => Date.parse(day)),
  );
  const comments = await rowsOf(forge, 'pull_review_comments');
  assert.deepEqual(
    comments.map((row) => [row.is_old_side, row.line, row.current_line, row.extra_lines]),
    [
      [0, 2, 2, 0],
      [1, 2, 2, 0],
      [0, 3, 0, 0],
      [0, 3, 5, 1],
      [0, 3, 0, 0],
      [0, 2, 2, 0],
    ],
  );
  assert.deepEqual(
    comments.map((row) => [row.original_sha, row.commit_sha]),
    [...Array(3).fill([head, head]), [NO_COMMIT, head], [head, head], [NO_COMMIT, NO_COMMIT]],
  );
  assert.deepEqual(
    [comments[0].path, comments[0].hunk, comments[0].body, comments[0].created_at],
    ['pump.txt', HUNK, 'Comment 21', Date.parse(TIMES.created_at)],
  );
  assert.deepEqual(
    comments.map((row) => row.review_id),
    [...Array(5).fill(reviews[0].id), reviews[2].id],
  );
  assert.equal((await ben.get(`${COPY}/pulls/4`)).body.review_comments, 6);
  const timeline = (await ben.get(`${COPY}/issues/4/timeline`)).body as Wire[];
  assert.deepEqual(
    timeline.map(({ type, body, review_id }) => [type, body, review_id]),
    [
      ['comment', 'Before', 0],
      ['review', 'Review 11', reviews[0].id],
      ['review', '', reviews[2].id],
      ['comment', 'After', 0],
      ['review', 'Review 12', reviews[1].id],
    ],
    'in the order of their times',
  );
  assert.deepEqual(
    reviews.map((row) => row.entry_id),
    [timeline[1].id, timeline[4].id, timeline[2].id],
  );
  assert.deepEqual(await leftOut(), [
    'marks of comments that users without an account here have resolved: 1',
    'requests for reviews by users without an account here: 1',
    'requests for reviews by teams: 1',
  ]);
  await settle(forge);
  for (const table of STAGED) assert.deepEqual(await rowsOf(forge, table), [], table);
});

test('words of imported reviews and of their comments on lines find their pull request', async (t) => {
  const { forge, ben, migrate } = await startPair(t, (sha) => ({
    issues: [issueOf(4)],
    pulls: [pullOf(4, sha)],
    'issues/comments': [],
    'pulls/4/reviews': [
      reviewOf(11, { body: 'The gasket leaks', comments_count: 1 }),
      reviewOf(12, { state: 'COMMENT', body: '', comments_count: 1 }),
      reviewOf(14, { state: 'PENDING', body: 'bracket' }),
    ],
    'pulls/4/reviews/11/comments': [lineCommentOf(21, { body: 'grease' })],
    'pulls/4/reviews/12/comments': [lineCommentOf(22, { body: 'solder' })],
  }));
  assert.equal((await migrate()).status, 201);
  await settle(forge);

  const numbers = async (url: string) => (await ben.get(url)).body.map(({ number }: Wire) => number);
  for (const at of [`${COPY}/issues`, '/api/v1/repos/issues/search']) {
    for (const word of ['gasket', 'grease', 'solder'])
      assert.deepEqual(await numbers(`${at}?q=${word}`), [4], `${at} ${word}`);
    assert.deepEqual(await numbers(`${at}?q=bracket`), [], at);
  }
});

test('a pull request whose head the source lacks can be read, and everything else answers clearly', async (t) => {
  const { forge, ben, migrate, leftOut } = await startPair(t, (sha) => ({
    issues: [issueOf(1), issueOf(2), issueOf(3, { state: 'closed', closed_at: TIMES.updated_at })],
    pulls: [
      // The source does not list refs/pull/1/head, but has its commit.
      pullOf(1, sha),
      pullOf(2, NO_COMMIT, { head: { label: 'gone', ref: 'refs/pull/2/head', sha: NO_COMMIT, repo_id: -1 } }),
      pullOf(3, NO_COMMIT, {
        ...{ merged: true, merged_at: TIMES.updated_at, merge_commit_sha: NO_COMMIT, merge_base: NO_COMMIT },
        ...{ additions: 7, deletions: 8, changed_files: 9, merged_by: { id: 7, login: 'ada' } },
      }),
    ],
    'pulls/2/reviews': [],
    'pulls/3/reviews': [],
  }));

  assert.equal((await migrate()).status, 201);

  await settle(forge);
  assert.deepEqual(await leftOut(), ['pull requests whose reviews the source does not list: 1']);
  const read = async (number: number) => (await ben.get(`${COPY}/pulls/${number}`)).body;
  assert.equal((await read(1)).mergeable, true);
  const [gone, merged] = [await read(2), await read(3)];
  assert.deepEqual(
    [gone.head.label, gone.head.ref, gone.head.sha, gone.head.repo, gone.mergeable],
    ['gone', 'refs/pull/2/head', NO_COMMIT, null, false],
  );
  assert.deepEqual(
    [merged.merged, merged.merge_commit_sha, merged.merged_at, merged.additions, merged.changed_files],
    [true, NO_COMMIT, TIMES.updated_at, 7, 9],
  );
  const statuses = await Promise.all(
    [1, 2, 3].map(async (number) => (await ben.get(`${COPY}/git/refs/pull/${number}/head`)).status),
  );
  assert.deepEqual(statuses, [200, 404, 404]);
  for (const Do of ['merge', 'squash', 'rebase', 'fast-forward-only']) {
    const { status, text } = await ben.post(`${COPY}/pulls/2/merge`, { Do });
    assert.equal(status, 409, `${Do}: ${text}`);
    assert.match(text, MISSING);
  }
  for (const path of ['pulls/2/files', 'pulls/2/commits', 'pulls/2.diff', 'pulls/2.patch', 'pulls/3/files']) {
    const { status, text } = await ben.get(`${COPY}/${path}`);
    assert.equal(status, 404, `${path}: ${text}`);
    if (path !== 'pulls/3/files') assert.match(text, MISSING);
  }
  assert.equal((await ben.get(`${COPY}/pulls/1/files`)).body.length, 1);
  const update = await ben.post(`${COPY}/pulls/2/update`);
  assert.equal(update.status, 422, update.text);
  assert.equal((await ben.patch(`${COPY}/pulls/2`, { title: 'New title' })).status, 201);
  assert.equal((await ben.post(`${COPY}/issues/2/comments`, { body: 'Still here' })).status, 201);
  assert.equal((await ben.patch(`${COPY}/pulls/2`, { state: 'closed' })).status, 201);
  assert.equal((await ben.patch(`${COPY}/pulls/2`, { state: 'open' })).status, 422);
  assert.equal((await ben.get('/ben/engine.git/info/refs?service=git-upload-pack')).status, 200);
});

test('a migration leaves out records that cannot be used, and says how many', async (t) => {
  const large = 'x'.repeat(262_145);
  const { forge, ben, migrate, leftOut } = await startPair(t, (sha) => {
    const odd = (number: number, fields: object) => pullOf(number, sha, fields);
    const issues = Array.from({ length: 16 }, (_, at) => issueOf(at + 1));
    return {
      issues: [
        ...issues,
        issueOf(17, { body: large }),
        issueOf(18, { created_at: 'soon' }),
        issueOf(30, { pull_request: null, title: 'An issue' }),
        issueOf(30, { title: 'A pull request with its number' }),
      ],
      pulls: [
        odd(1, {}),
        odd(1, { head: { label: 'again', sha, repo_id: 3 } }),
        odd(2, {}),
        odd(3, { head: { label: 'x', sha: 'main', repo_id: 3 } }),
        odd(4, { head: { label: 'x', sha: sha.slice(1), repo_id: 3 } }),
        odd(5, { head: null }),
        odd(6, { base: { label: '../x', ref: '../x', repo_id: 3 } }),
        odd(7, { base: { label: '', ref: '', repo_id: 3 } }),
        odd(8, { head: 'pump' }),
        odd(9, { merged: true, merged_at: 'soon' }),
        odd(10, { merged: true, merged_at: TIMES.updated_at, merge_commit_sha: 'main' }),
        odd(11, { head: { label: `a${large}\n`, sha, repo_id: 4 }, additions: -5, flow: 'agit' }),
        odd(12, { head: { label: 'main', sha, repo_id: 3 } }),
        odd(13, { head: { label: 'topic of ada', sha, repo_id: 3 }, flow: 1 }),
        odd(14, { head: { label: 'no:branch', sha, repo_id: 3 } }),
        odd(30, {}),
        odd(31, {}),
        odd(2 ** 31, {}),
        odd(-1, {}),
      ],
      'pulls/1/reviews': [
        reviewOf(1, { state: 'IMPRESSED' }),
        reviewOf(2, { body: large }),
        reviewOf(3, { body: ['x'] }),
        reviewOf(-4),
        reviewOf(5, { submitted_at: 'soon' }),
        reviewOf(6, { commit_id: 'main', comments_count: 9 }),
        reviewOf(6, { body: 'Again' }),
        reviewOf(7, { body: 'Twice', comments_count: 1 }),
      ],
      'pulls/1/reviews/6/comments': [
        lineCommentOf(1, { position: -1 }),
        lineCommentOf(2, { position: 2 ** 31 }),
        lineCommentOf(3, { position: 1.5 }),
        lineCommentOf(4, { position: 0, original_position: 0, diff_hunk: '@@ nonsense' }),
        lineCommentOf(5, { path: '' }),
        lineCommentOf(6, { path: 'a\0b' }),
        lineCommentOf(7, { body: large }),
        lineCommentOf(8, { extra_lines_count: -1 }),
        lineCommentOf(9, { diff_hunk: large, body: '<script>alert(1)</script>' }),
        lineCommentOf(9, { body: 'Again' }),
      ],
      'pulls/2/reviews': [reviewOf(7, { body: 'Twice', comments_count: 1 })],
    };
  });

  const made = await migrate();

  assert.equal(made.status, 201, made.text);
  const pulls = await rowsOf(forge, 'pulls');
  assert.deepEqual(
    pulls.map((row) => [row.number, row.flow, row.head_branch.slice(0, 12), row.head_repository_id !== null]),
    [
      [1, 'branch', 'pump', true],
      [2, 'branch', 'pump', false],
      [10, 'branch', 'pump', false],
      [11, 'branch', 'axxxxxxxxxxx', false],
      [12, 'branch', 'main', false],
      [13, 'agit', 'topic of ada', true],
      [14, 'branch', 'no:branch', false],
    ],
  );
  assert.deepEqual(
    (await ben.get(`${COPY}/issues?state=all&limit=50`)).body.map(({ number }: Wire) => number),
    [30, 14, 13, 12, 11, 10, 2, 1],
  );
  assert.equal((await ben.get(`${COPY}/issues/30`)).body.title, 'An issue');
  const reviews = await rowsOf(forge, 'pull_reviews');
  assert.deepEqual(
    reviews.map((row) => [row.body, row.commit_sha, row.comments_count]),
    [
      ['Review 6', '', 1],
      ['Twice', NO_COMMIT, 0],
    ],
  );
  const [comment, ...rest] = await rowsOf(forge, 'pull_review_comments');
  assert.deepEqual([comment.hunk, comment.line, rest], ['', 2, []]);
  assert.equal((await ben.get(COPY)).body.open_pr_counter, 7);
  assert.equal((await ben.post(`${COPY}/issues`, { title: 'Next' })).body.number, 31);
  assert.deepEqual((await leftOut()).toSorted(), [
    'branches of pull requests that have those of another open one: 2',
    'comments on lines that cannot be used: 8',
    'merges whose commit the source does not know: 1',
    'pull requests that cannot be used: 6',
    'pull requests that only the list of issues has: 2',
    'pull requests whose base is not the name of a branch: 2',
    'pull requests whose head the source does not know: 3',
    'pull requests whose reviews the source does not list: 5',
    'pull requests with the number of an issue: 2',
    'pull requests without an issue: 1',
    'reviews in an unknown state: 1',
    'reviews that cannot be used: 4',
    'reviews whose comments the source does not list: 1',
  ]);
});

test('heads are what git has, not what the API says, and only those of pull requests are copied', async (t) => {
  for (const isOld of [false, true]) {
    let answers: Answers = {};
    const source = await startBackend(t, {
      isOld,
      intercept: async (request, response) => {
        const [, path] = /^\/api\/v1\/repos\/ada\/engine\/?([^?]*)/.exec(request.url ?? '') ?? [];
        request.url = request.url?.replace('/ada/engine.git', '/engine.git') ?? '';
        if (path === undefined) return false;
        const isFirst = !/page=[^1]/.test(request.url);
        response.writeHead(path in answers ? 200 : 404);
        response.end(JSON.stringify(isFirst || path === '' ? answers[path] : []));
        return true;
      },
    });
    const { folder } = source;
    const main = await commitTo(folder, 'main', 'engine');
    const pump = await commitTo(folder, 'pump', 'pump', { onto: main });
    const fork = await commitTo(folder, 'fork', 'fork', { onto: main });
    const blob = await git(folder, ['hash-object', '-w', '--stdin'], { input: 'blob' });
    await git(folder, ['update-ref', '-d', 'refs/heads/fork']);
    for (const [number, oid] of [
      [1, fork],
      [2, blob],
      [7, fork],
      [8, fork],
    ] as const)
      await git(folder, ['update-ref', `refs/pull/${number}/${number === 8 ? 'merge' : 'head'}`, oid]);
    answers = {
      ...{ '': { description: '' }, labels: [], milestones: [], 'issues/comments': [] },
      issues: [1, 2, 3, 4].map((number) => issueOf(number)),
      pulls: [1, 2, 3, 4].map((number) =>
        pullOf(number, number === 4 ? pump : NO_COMMIT, {
          head: { label: `b${number}`, sha: NO_COMMIT, repo_id: 0 },
        }),
      ),
    };
    (answers.pulls as Wire[])[3].head = { label: 'pump', sha: main, repo_id: 3 };
    const forge = await startForge(t, ALLOWED);
    const ben = await forge.account('ben');
    const address = source.url.replace('/engine.git', '/ada/engine.git');

    const made = await ben.post(MIGRATE, {
      clone_addr: address,
      repo_name: 'engine',
      service: 'gitea',
      ...ALL,
    });

    assert.equal(made.status, 201, made.text);
    // The job that fetches the last head is tried again later if the server is busy.
    await until(async () => (await rowsOf(forge, 'pulls')).at(-1)?.head_sha === pump);
    await settle(forge);
    const refs = (await git(folder, ['ls-remote', ben.remote('ben/engine'), 'refs/pull/*'])).split('\n');
    assert.deepEqual(refs, [`${fork}\trefs/pull/1/head`, `${pump}\trefs/pull/4/head`]);
    assert.deepEqual(
      (await rowsOf(forge, 'pulls')).map(({ head_sha: sha }) => sha),
      [fork, NO_COMMIT, NO_COMMIT, pump],
      'the branch of the last one has moved since the API was read',
    );
    const read = (await ben.get(`${COPY}/pulls/1`)).body;
    assert.deepEqual([read.mergeable, read.merge_base, read.changed_files], [true, main, 1]);
  }
});

test('a migration of a source that fails while reviews arrive is tried again, and leaves no rows', async (t) => {
  let isAway = true;
  const { forge, ben, migrate } = await startPair(t, (sha) => ({
    issues: [issueOf(1), issueOf(2)],
    pulls: [pullOf(1, sha), pullOf(2, sha, { head: { label: 'other', sha, repo_id: 4 } })],
    'pulls/1/reviews': [reviewOf(1, { comments_count: 1 })],
    'pulls/1/reviews/1/comments': () => (isAway ? 503 : [lineCommentOf(1)]),
    'pulls/2/reviews': [reviewOf(2)],
  }));

  const failed = await migrate();
  assert.equal(failed.status, 422, failed.text);
  assert.match(failed.text, /status 503 for comments on lines/);
  await settle(forge);
  for (const table of [...STAGED, 'pulls', 'pull_reviews'] as const)
    assert.deepEqual(await rowsOf(forge, table), [], table);

  isAway = false;
  assert.equal((await migrate()).status, 201);
  assert.equal((await rowsOf(forge, 'pull_review_comments')).length, 1);
  assert.equal((await ben.get(`${COPY}/pulls?state=all`)).body.length, 2);
});

test('a migration that is killed while reviews arrive starts again, and imports each once', async (t) => {
  const arriving = Promise.withResolvers<void>();
  let isHanging = true;
  let head = '';
  const comment = { id: 5, body: 'Hm', pull_request_url: 'https://x/y/pulls/4', ...TIMES };
  const { url, ada } = await startFakeFamily(t, (path, records) => {
    const answers: Answers = {
      ...records,
      issues: [issueOf(4)],
      pulls: [pullOf(4, head)],
      'issues/comments': [comment],
      'pulls/4/reviews': [reviewOf(11, { comments_count: 1 })],
      'pulls/4/reviews/11/comments': [lineCommentOf(21)],
    };
    if (!path.endsWith('11/comments') || !isHanging) return answers[path];
    arriving.resolve();
    return new Promise(() => {});
  });
  await commitFile(ada, 'README.md', 'engine\n');
  head = await commitFile(ada, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  const environment = { QUIRE_OUTBOUND_ALLOW: '127.0.0.1' };
  const server = await startServerProcess(t, environment);
  const migrating = request('POST', `${server.url}${MIGRATE}`, {
    as: server.admin,
    json: { clone_addr: url, repo_name: 'engine', service: 'gitea', ...ALL },
  });
  const gone = assert.rejects(migrating);
  await arriving.promise;
  server.running.child.kill('SIGKILL');
  await gone;
  await server.running.ended();
  isHanging = false;

  const again = await serveSite(t, server, environment);
  await releaseJobs(server);
  const find = () => request('GET', `${again.url}/api/v1/repos/root/engine/pulls/4`, { as: server.admin });
  await until(async () => (await find()).status === 200);
  again.running.child.kill('SIGKILL');
  await again.running.ended();
  await endLeases(server);
  const forge = await startForge(t, { ...ALLOWED, ...placeOf(server) });
  await forge.forge.running.services.repositories.creation.sweepAbandoned(-1000);
  await settle(forge);
  for (const table of STAGED) assert.deepEqual(await rowsOf(forge, table), [], table);
  for (const table of ['pulls', 'pull_reviews', 'pull_review_comments'] as const)
    assert.equal((await rowsOf(forge, table)).length, 1, table);
  const root = '/api/v1/repos/root/engine';
  assert.equal((await forge.root.get(`${root}/git/refs/pull/4/head`)).body.object.sha, head);
  assert.equal((await forge.root.get(`${root}/pulls/4`)).body.mergeable, true);
  assert.equal((await forge.root.get(`${root}/issues/4/timeline`)).body.length, 2);
});

test('a migration follows the lines of comments whose review is about an earlier commit', async (t) => {
  let first = '';
  const { forge, ben, ada, head, migrate } = await startPair(t, (sha) => ({
    issues: [issueOf(4)],
    pulls: [pullOf(4, sha)],
    'pulls/4/reviews': () => [reviewOf(1, { commit_id: first, comments_count: 1 })],
    // Some servers name the commit that last changed the line.
    'pulls/4/reviews/1/comments': [lineCommentOf(1, { path: 'pump.txt', position: 1, diff_hunk: '' })],
  }));
  first = head;
  const later = await commitFile(ada, 'pump.txt', 'a seal\npump\n', { branch: 'pump' });

  assert.equal((await migrate()).status, 201);

  await settle(forge);
  const [comment] = await rowsOf(forge, 'pull_review_comments');
  assert.deepEqual([comment.original_sha, comment.commit_sha], [first, later]);
  assert.deepEqual([comment.line, comment.current_line], [1, 2]);
  assert.equal((await ben.get(`${COPY}/pulls/4`)).body.head.sha, later, 'it has followed its branch');
});

test('a migration limits the reviews and comments on lines of one pull request', async (t) => {
  const { reviewsPerPullMax, reviewCommentsPerPullMax } = PULL_LIMITS;
  const { forge, migrate, leftOut } = await startPair(t, (sha) => ({
    issues: [issueOf(1)],
    pulls: [pullOf(1, sha)],
    // The list has no end.
    'pulls/1/reviews': (page: number) =>
      Array.from({ length: 1_500 }, (_, at) =>
        reviewOf(page * 10_000 + at, { comments_count: at === 0 ? 1 : 0 }),
      ),
    'pulls/1/reviews/10000/comments': Array.from({ length: reviewCommentsPerPullMax }, (_, at) =>
      lineCommentOf(at + 1),
    ),
    'pulls/1/reviews/20000/comments': [lineCommentOf(9_000), lineCommentOf(9_001)],
  }));

  assert.equal((await migrate()).status, 201);

  assert.equal((await rowsOf(forge, 'pull_reviews')).length, reviewsPerPullMax);
  assert.equal((await rowsOf(forge, 'pull_review_comments')).length, reviewCommentsPerPullMax);
  assert.deepEqual(await leftOut(), [
    'comments on lines after the first 5000 of a pull request: 2',
    'pull requests with more than 2000 reviews, the rest of which is left out: 1',
  ]);
});

test('a migration stages the comments of each review before it reads those of the next one', async (t) => {
  const pair = await startPair(t, (sha) => ({
    issues: [issueOf(1)],
    pulls: [pullOf(1, sha)],
    'pulls/1/reviews': [reviewOf(1, { comments_count: 2 }), reviewOf(2, { comments_count: 1 })],
    'pulls/1/reviews/1/comments': [lineCommentOf(1), lineCommentOf(2)],
    'pulls/1/reviews/2/comments': async () => {
      staged = (await rowsOf(pair.forge, 'staged_review_comments')).length;
      return [lineCommentOf(3)];
    },
  }));
  let staged = 0;

  assert.equal((await pair.migrate()).status, 201);

  assert.equal(staged, 2);
  assert.equal((await rowsOf(pair.forge, 'pull_review_comments')).length, 3);
});

test('comments that a migration leaves out do not count as texts', async (t) => {
  const { reviewCommentsPerPullMax: countMax } = PULL_LIMITS;
  t.mock.property(IMPORT_LIMITS, 'importedTextCharsMax', 2 * countMax);
  const texts = { body: 'x', diff_hunk: '' };
  const { migrate, leftOut } = await startPair(t, (sha) => ({
    issues: [issueOf(1)],
    pulls: [pullOf(1, sha)],
    'pulls/1/reviews': [reviewOf(1, { body: '', comments_count: 1 })],
    'pulls/1/reviews/1/comments': Array.from({ length: countMax + 1 }, (_, at) =>
      lineCommentOf(at + 1, at < countMax ? texts : { ...texts, body: 'x'.repeat(2 * countMax) }),
    ),
  }));

  const made = await migrate();

  assert.equal(made.status, 201, made.text);
  assert.deepEqual(await leftOut(), ['comments on lines after the first 5000 of a pull request: 1']);
});

test('a migration publishes more pull requests, reviews and comments than one statement does', async (t) => {
  const count = 1_100;
  const all = Array.from({ length: count }, (_, at) => at + 1);
  const dayOf = (at: number) => new Date(Date.UTC(2020, 0, at)).toISOString();
  const { forge, ben, migrate } = await startPair(t, (sha) => ({
    issues: all.map((number) => issueOf(number)),
    pulls: all
      .toReversed()
      .map((number) => pullOf(number, sha, { head: { label: `b${number}`, sha, repo_id: 4 } })),
    'issues/comments': all.map((at) => ({
      ...{ id: at, body: `${2 * at}`, pull_request_url: 'https://x/y/pulls/1', created_at: dayOf(2 * at) },
    })),
    'pulls/1/reviews': all.map((at) =>
      reviewOf(at, {
        body: `${2 * at + 1}`,
        submitted_at: dayOf(2 * at + 1),
        comments_count: at === 9 ? count : 0,
      }),
    ),
    'pulls/1/reviews/9/comments': all.map((at) => lineCommentOf(at)),
  }));

  const made = await migrate();

  assert.equal(made.status, 201, made.text);
  assert.equal(made.body.open_pr_counter, count);
  const { review_comments: lineComments, comments } = (await ben.get(`${COPY}/pulls/1`)).body;
  assert.deepEqual([lineComments, comments], [count, count]);
  const timeline: Wire[] = [];
  for (let page = 1; timeline.length < 2 * count; page += 1) {
    const { body } = await ben.get(`${COPY}/issues/1/timeline?limit=50&page=${page}`);
    if (body.length === 0) break;
    timeline.push(...body);
  }
  const bodies = timeline.map(({ body }) => Number(body));
  assert.deepEqual(
    bodies,
    bodies.toSorted((one, other) => one - other),
  );
  const entryOf = new Map(timeline.map(({ id, body }) => [id, body]));
  const reviews = await rowsOf(forge, 'pull_reviews');
  assert.equal(reviews.length, count);
  for (const { entry_id: id, body } of reviews) assert.equal(entryOf.get(id), body);
});
