import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveSite, startServerProcess } from '../../code/transport/server-process.ts';
import { ALLOWED, hurried, MIGRATE } from '../../hosting/mirrors/sync.ts';
import { releaseJobs } from '../../support/database/job-leases.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { request } from '../../support/http/http.ts';
import { collectLog } from '../../support/log-lines.ts';
import { until } from '../../support/until.ts';
import { actsAt, feedOf, recorded } from '../activities/feeds.ts';
import { open, type Wire } from '../issues/tracker.ts';
import { finished, startFakeFamily, startFilledSource } from './source.ts';

const ALL = { issues: true, labels: true, milestones: true };
const COPY = '/api/v1/repos/ben/engine';

test('a migration from a Gitea server copies description, topics, labels, milestones, issues and comments', async (t) => {
  const { source, ada, numbers } = await startFilledSource(t);
  const forge = await startForge(t, ALLOWED);
  const [ben, sameName] = [await forge.account('ben'), await forge.account('ada')];

  const made = await ben.post(MIGRATE, {
    clone_addr: `${source.url}/ada/engine`,
    repo_name: 'engine',
    service: 'gitea',
    auth_token: ada.token,
    ...ALL,
  });

  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.body.description, made.body.website], ['Turns', 'https://example.org/engine']);
  assert.deepEqual(made.body.topics, ['gears', 'steam']);
  assert.equal(made.body.open_issues_count, 2);
  const at = '/api/v1/repos/ada/engine';
  const issues = async (of: typeof ben, path: string) =>
    (await of.get(`${path}/issues?state=all&type=all`)).body as Wire[];
  const [here, there] = [await issues(ben, COPY), await issues(ada, at)];
  const same = (issue: Wire) => ({
    ...['number', 'title', 'body', 'ref', 'state', 'is_locked', 'comments', 'pin_order'].map(
      (name) => issue[name],
    ),
    times: [issue.created_at, issue.updated_at, issue.closed_at, issue.due_date],
    labels: issue.labels.map(({ name, color, exclusive }: Wire) => [name, color, exclusive]),
    milestone: issue.milestone?.title,
  });
  assert.deepEqual(here.map(same), there.map(same));
  assert.deepEqual(
    here.map(({ number }) => number),
    numbers,
  );
  const first = here.find(({ number }) => number === 1);
  const firstThere = there.find(({ number }) => number === 1);
  assert.deepEqual(
    [first.user.login, first.original_author, first.original_author_id, first.assignees],
    ['Ghost', 'ada', firstThere.user.id, null],
    'a local account is not the author because of its name',
  );
  assert.equal((await sameName.patch(`${COPY}/issues/1`, { title: 'Mine' })).status, 403);
  const [comments, commentsThere] = [
    (await ben.get(`${COPY}/issues/comments`)).body as Wire[],
    (await ada.get(`${at}/issues/comments`)).body as Wire[],
  ];
  const sameComment = ({ body, created_at, updated_at, issue_url }: Wire) => [
    ...[body, created_at, updated_at],
    issue_url.split('/').at(-1),
  ];
  assert.deepEqual(comments.map(sameComment), commentsThere.map(sameComment));
  assert.deepEqual([comments[0].user.login, comments[0].original_author], ['Ghost', 'cid']);
  const fields = ['title', 'description', 'state', 'due_on', 'open_issues', 'closed_issues', 'closed_at'];
  const milestones = async (of: typeof ben, path: string) =>
    ((await of.get(`${path}/milestones?state=all`)).body as Wire[]).map((each) =>
      fields.map((name) => each[name]),
    );
  assert.deepEqual(await milestones(ben, COPY), await milestones(ada, at));
  const labels = async (of: typeof ben, path: string) =>
    ((await of.get(`${path}/labels`)).body as Wire[]).map(({ id: _, url: __, ...rest }) => rest);
  assert.deepEqual(await labels(ben, COPY), await labels(ada, at));
  assert.equal((await open(ben, 'New', {}, `${COPY}/issues`)).number, 7);
  assert.equal((await ben.get(`${COPY}/issues/3`)).status, 404, 'a number that the source lacks is not used');
});

test('an import of issues creates no events, notifications, mentions or references', async (t) => {
  const { source, ada } = await startFilledSource(t);
  const forge = await startForge(t, ALLOWED);
  const [ben, cid] = [await forge.account('ben'), await forge.account('cid')];
  const other = await ben.repository('other');
  const aim = await open(ben, 'Aim', {}, '/api/v1/repos/ben/other/issues');
  await open(
    ada,
    `See ben/other#${aim.number}, @cid`,
    { body: `@cid, closes ben/other#${aim.number}` },
    '/api/v1/repos/ada/engine/issues',
  );

  const body = { clone_addr: `${source.url}/ada/engine`, repo_name: 'engine', service: 'forgejo', ...ALL };
  const made = await ben.post(MIGRATE, { ...body, auth_token: ada.token });
  assert.equal(made.status, 201, made.text);
  await finished(forge);

  const { database } = forge.forge.running.engines;
  const kinds = (await eventsOf(database, 'issue')).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['issue.created'], 'only the event of the issue that was created here');
  await recorded(forge);
  assert.deepEqual(await actsAt(ben, feedOf('ben/engine')), ['create_repo ben']);
  assert.deepEqual((await cid.get('/api/v1/notifications')).body, []);
  assert.deepEqual(await database.reader.selectFrom('issue_mentions').selectAll().execute(), []);
  const timeline = await ben.get(`/api/v1/repos/ben/other/issues/${aim.number}/timeline`);
  assert.deepEqual(timeline.body, []);
  assert.equal((await ben.get(`/api/v1/repos/ben/other/issues/${aim.number}`)).body.state, 'open');
  assert.equal(other.name, 'other');
});

test('a search finds imported issues, and no staged rows are left', async (t) => {
  const { source, ada } = await startFilledSource(t);
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  const body = {
    clone_addr: `${source.url}/ada/engine.git`,
    repo_name: 'engine',
    service: 'gitea',
    issues: true,
  };
  const made = await ben.post(MIGRATE, { ...body, auth_token: ada.token });
  assert.equal(made.status, 201, made.text);
  await finished(forge);
  const found = async (words: string) =>
    ((await ben.get(`${COPY}/issues?state=all&q=${words}`)).body as Wire[]).map(({ number }) => number);
  assert.deepEqual(await found('rattles'), [1]);
  assert.deepEqual(await found('spanner'), [1], 'a word of a comment');
  const { reader } = forge.forge.running.engines.database;
  for (const table of ['staged_issues', 'staged_comments', 'staged_issue_labels'] as const)
    assert.deepEqual(await reader.selectFrom(table).selectAll().execute(), [], table);
});

test('a migration of an empty repository copies its issues, or only its labels, as requested', async (t) => {
  const source = await startForge(t);
  const ada = await source.account('ada');
  await ada.repository('empty', { issue_labels: 'Default' });
  await open(ada, 'Alone', {}, '/api/v1/repos/ada/empty/issues');
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  const copy = (name: string, items: object) =>
    ben.post(MIGRATE, {
      ...{ clone_addr: `${source.url}/ada/empty`, repo_name: name, service: 'gitea', auth_token: ada.token },
      ...items,
    });

  assert.equal((await copy('whole', { issues: true })).status, 201);
  assert.equal((await copy('labeled', { labels: true })).status, 201);
  assert.equal((await copy('bare', {})).status, 201);

  const counts = async (name: string) => [
    (await ben.get(`/api/v1/repos/ben/${name}/issues`)).body.length,
    (await ben.get(`/api/v1/repos/ben/${name}/labels`)).body.length > 0,
  ];
  assert.deepEqual(await counts('whole'), [1, false]);
  assert.deepEqual(await counts('labeled'), [0, true]);
  assert.deepEqual(await counts('bare'), [0, false]);
});

test('a migration logs what it leaves out, and rejects options that are not supported', async (t) => {
  const { source, ada } = await startFilledSource(t);
  const forge = await startForge(t, { ...ALLOWED, logLevel: 'warn' });
  const log = collectLog(forge.forge.running.app);
  const ben = await forge.account('ben');
  const send = (fields: object) =>
    ben.post(MIGRATE, {
      ...{
        clone_addr: `${source.url}/ada/engine`,
        repo_name: 'engine',
        service: 'gitea',
        auth_token: ada.token,
      },
      ...fields,
    });
  for (const fields of [
    { mirror: true, releases: true },
    { mirror: true, issues: true },
    { mirror: true, pull_requests: true },
  ]) {
    const answer = await send(fields);
    assert.equal(answer.status, 422, answer.text);
    assert.match(answer.text, /leave out/);
  }
  assert.equal((await send({ auth_token: 'wrong' })).status, 422);
  assert.equal((await send(ALL)).status, 201);
  // The response waits only until the copy appears, and the job writes its log line later.
  const found = () => log.find((each) => each.includes('a migration leaves something out'));
  await until(() => found() !== undefined);
  assert.deepEqual(JSON.parse(found() ?? '').notTaken, ['assignments to users without an account here: 1']);
});

const ISSUE = {
  ...{ id: 1, number: 4, title: 'Fits', body: '', state: 'open', user: { id: 7, login: 'ada' } },
  ...{ created_at: '2024-01-02T03:04:05Z', updated_at: '2024-01-02T03:04:05Z', labels: [], milestone: null },
};

test('a migration from a source with malformed records fails with the reason, and leaves no rows', async (t) => {
  let answers: Record<string, unknown> = {};
  const { url, records } = await startFakeFamily(t, (path) => answers[path]);
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  const send = () =>
    hurried(forge, ben.post(MIGRATE, { clone_addr: url, repo_name: 'engine', service: 'gitea', ...ALL }));
  const issues = (fields: object) => ({ issues: [{ ...ISSUE, ...fields }] });
  const label = { id: 1, name: 'odd', color: '00aabb' };
  const refused: readonly [Record<string, unknown>, RegExp][] = [
    [{ '': '<html>Sign in</html>' }, /no JSON for repository/],
    [{ '': null }, /no usable repository/],
    [{ '': { topics: 'many' } }, /no usable topics/],
    [{ labels: {} }, /no list of labels/],
    [{ labels: [{ ...label, id: '1' }] }, /no usable id of labels/],
    [{ labels: [{ ...label, color: 'javascript:alert(1)' }] }, /label 1: .*hex digits/],
    [
      { labels: (page: number) => [{ ...label, id: page }, label].concat(Array(60).fill(label)) },
      /more than 1000 labels/,
    ],
    [{ milestones: [{ id: 1, title: 'x', due_on: 'soon' }] }, /no usable due_on/],
    [issues({ number: 2 ** 31 }), /no usable number/],
    [issues({ number: 1e300 }), /no usable number/],
    [issues({ number: -1 }), /no usable number/],
    [issues({ title: '' }), /issue 4: the title/],
    [issues({ title: 'x'.repeat(256) }), /issue 4: the title/],
    [issues({ body: 'a\0b' }), /no usable body/],
    [issues({ body: ['x'] }), /no usable body/],
    [issues({ body: 'x'.repeat(262_145) }), /issue 4: the text/],
    [issues({ labels: 'odd' }), /no usable labels/],
    [issues({ user: 'ada' }), /no usable user/],
    [issues({ created_at: 'yesterday' }), /no usable created_at/],
    [
      { ...issues({}), 'issues/comments': [{ id: 0, issue_url: '/issues/4', body: 'x' }] },
      /no usable id of comments/,
    ],
    [{ ...issues({}), 'issues/comments': 503 }, /status 503 for comments/],
    [{ ...issues({}), 'issues/comments': 403 }, /give credentials that may read its comments/],
  ];
  for (const [wrong, why] of refused) {
    answers = { ...records, ...wrong };
    const answer = await send();
    assert.equal(answer.status, 422, `${JSON.stringify(wrong)}: ${answer.text}`);
    assert.match(answer.text, why);
    assert.equal((await ben.get(COPY)).status, 404);
  }
  await finished(forge);
  const { reader } = forge.forge.running.engines.database;
  for (const table of ['repositories', 'repository_intents'] as const)
    assert.deepEqual(await reader.selectFrom(table).select('id').execute(), [], table);
  for (const table of ['staged_issues', 'staged_comments'] as const)
    assert.deepEqual(await reader.selectFrom(table).select('repository_id').execute(), [], table);
});

test('an import drops repeated records and limits times, and pages escape its texts', async (t) => {
  const label = { id: 9, name: 'odd', color: '0ab' };
  const issues = [
    {
      ...ISSUE,
      title: '<script>alert(1)</script>',
      labels: [label, { ...label, name: 'other' }],
      updated_at: '2000-01-01T00:00:00Z',
      due_date: '2030-01-31T23:59:59-05:00',
    },
    { ...ISSUE, title: 'Again', number: 4 },
    {
      ...ISSUE,
      number: 2_000_000_000,
      created_at: '9000-01-01T00:00:00Z',
      state: 'closed',
      original_author: 'Grace\nHopper',
      original_author_id: -5,
    },
    { ...ISSUE, number: 6, pull_request: { merged: false } },
  ];
  const comment = {
    id: 5,
    issue_url: 'https://elsewhere/x/y/issues/4',
    body: 'One',
    user: null,
    created_at: '0001-01-01T00:00:00Z',
  };
  const comments = [
    comment,
    { ...comment, body: 'Two' },
    { ...comment, id: 6, issue_url: 'https://elsewhere/x/y/issues/999' },
    { ...comment, id: 7, issue_url: '', pull_request_url: 'https://elsewhere/x/y/pulls/6' },
  ];
  const { url } = await startFakeFamily(
    t,
    (path, records) => ({ ...records, issues, labels: [label], 'issues/comments': comments })[path],
  );
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  const made = await ben.post(MIGRATE, { clone_addr: url, repo_name: 'engine', service: 'gitea', ...ALL });
  assert.equal(made.status, 201, made.text);
  const [late, first, ...rest] = (await ben.get(`${COPY}/issues?state=all`)).body;
  assert.deepEqual(rest, []);
  assert.deepEqual([first.title, first.labels.length, first.comments], ['<script>alert(1)</script>', 1, 1]);
  assert.equal(first.updated_at, first.created_at);
  assert.equal(first.due_date, '2030-01-31T23:59:59Z');
  assert.deepEqual(
    [late.number, late.original_author, late.original_author_id],
    [2_000_000_000, 'Grace Hopper', 0],
  );
  assert.ok(Date.parse(late.created_at) <= Date.now() && Date.parse(late.closed_at) <= Date.now());
  assert.equal((await ben.get(COPY)).body.open_issues_count, 1);
  const page = await ben.get('/ben/engine/issues/4');
  assert.ok(page.text.includes('&lt;script&gt;') && !page.text.includes('<script>'));
  assert.deepEqual(
    (await ben.get(`${COPY}/issues/comments`)).body.map(({ body }: Wire) => body),
    ['One'],
  );
  const next = await ben.post(`${COPY}/issues`, { title: 'Next' });
  assert.equal(next.body.number, 2_000_000_001);
});

test('an import publishes issues before it writes events, because an event makes other writers wait', async (t) => {
  const { source, ada } = await startFilledSource(t);
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  const seen: unknown[] = [];
  forge.forge.running.services.repositories.creation.created.subscribe(async (tx, { repositoryId }) => {
    const issues = await tx
      .selectFrom('issues')
      .select('id')
      .where('repository_id', '=', repositoryId)
      .execute();
    const events = await tx
      .selectFrom('events')
      .select('kind')
      .where('repository_id', '=', repositoryId)
      .execute();
    seen.push(issues.length, events.length);
  });
  const body = { clone_addr: `${source.url}/ada/engine`, repo_name: 'engine', service: 'gitea', ...ALL };
  assert.equal((await ben.post(MIGRATE, { ...body, auth_token: ada.token })).status, 201);
  assert.deepEqual(seen, [5, 0]);
});

test('a migration that is killed while issues arrive starts again, and imports each issue once', async (t) => {
  const arriving = Promise.withResolvers<void>();
  let isHanging = true;
  const { url } = await startFakeFamily(t, (path, records) => {
    if (path === 'issues') return [ISSUE];
    if (path !== 'issues/comments' || !isHanging) return records[path];
    arriving.resolve();
    return new Promise(() => {});
  });
  const environment = { QUIRE_OUTBOUND_ALLOW: '127.0.0.1' };
  const server = await startServerProcess(t, environment);
  const migrate = (base: string) =>
    request('POST', `${base}${MIGRATE}`, {
      as: server.admin,
      json: { clone_addr: url, repo_name: 'engine', service: 'gitea', ...ALL },
    });
  const gone = assert.rejects(migrate(server.url));
  await arriving.promise;
  server.running.child.kill('SIGKILL');
  await gone;
  await server.running.ended();
  isHanging = false;

  const again = await serveSite(t, server, environment);
  const find = () => request('GET', `${again.url}/api/v1/repos/root/engine`, { as: server.admin });
  assert.equal((await find()).status, 404);
  assert.match((await migrate(again.url)).body.message, /a migration to this repository is under way/);
  await releaseJobs(server);
  await until(async () => (await find()).status === 200);
  again.running.child.kill('SIGKILL');
  await again.running.ended();
  const flag = server.flags.indexOf('--database-url');
  const place = flag === -1 ? {} : { databaseUrl: server.flags[flag + 1] ?? '' };
  const forge = await startForge(t, { dataFolder: server.dataFolder, ...place });
  const { services, engines } = forge.forge.running;
  await engines.database.transaction((tx) => tx.updateTable('jobs').set({ leased_until: 0 }).execute());
  await services.repositories.creation.sweepAbandoned(-1000);
  await finished(forge);
  const { reader } = engines.database;
  assert.deepEqual(await reader.selectFrom('staged_issues').select('number').execute(), []);
  assert.equal((await reader.selectFrom('issues').select('number').execute()).length, 1);
});

test('an import accepts pages with many labels for each issue, and with more records than requested', async (t) => {
  const labels = Array.from({ length: 450 }, (_, at) => ({ id: at + 1, name: `l${at}`, color: '00aabb' }));
  const issues = Array.from({ length: 4_500 }, (_, at) => ({
    ...ISSUE,
    number: at + 1,
    labels: at < 50 ? labels : [],
  }));
  const comments = Array.from({ length: 8_000 }, (_, at) => ({
    ...{ id: at + 1, issue_url: 'https://elsewhere/x/y/issues/1', body: 'One' },
    created_at: ISSUE.created_at,
  }));
  const { url } = await startFakeFamily(
    t,
    (path, records) => ({ ...records, issues, labels, 'issues/comments': comments })[path],
  );
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  const made = await ben.post(MIGRATE, { clone_addr: url, repo_name: 'engine', service: 'gitea', ...ALL });
  assert.equal(made.status, 201, made.text);
  const [first] = (await ben.get(`${COPY}/issues?state=all&limit=1&sort=oldest&page=1`)).body;
  assert.equal((await ben.get(COPY)).body.open_issues_count, 4_500);
  const one = (await ben.get(`${COPY}/issues/1`)).body;
  assert.deepEqual([one.labels.length, one.comments, first.number], [450, 8_000, 1]);
});
