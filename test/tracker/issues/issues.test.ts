import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ISSUE_LIMITS } from '../../../src/tracker/issues/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { STATED_DAYS } from '../../support/stated-days.ts';
import { ENGINE, ISSUES, numbersAt, open, startTracker, type Wire } from './tracker.ts';

test('issues are created, read, changed, closed, reopened and deleted, each with an event', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  const created = await open(cid, ' It rattles ', { body: 'When it *turns*.', ref: 'main' });

  const { id, user, created_at, updated_at, repository, ...fields } = created;
  assert.equal(user.login, 'cid');
  assert.equal(created_at, updated_at);
  assert.deepEqual(
    { name: repository.name, owner: repository.owner, full_name: repository.full_name },
    { name: 'engine', owner: 'ada', full_name: 'ada/engine' },
  );
  assert.deepEqual(fields, {
    url: `${forge.url}${ISSUES}/1`,
    html_url: `${forge.url}/ada/engine/issues/1`,
    number: 1,
    original_author: '',
    original_author_id: 0,
    title: 'It rattles',
    body: 'When it *turns*.',
    ref: 'main',
    assets: [],
    labels: [],
    milestone: null,
    assignee: null,
    assignees: null,
    state: 'open',
    is_locked: false,
    comments: 0,
    closed_at: null,
    due_date: null,
    pull_request: null,
    pin_order: 0,
  });
  const read = await forge.get(`${ISSUES}/1`);
  assert.deepEqual({ ...read.body, user: null }, { ...created, user: null });
  const changed = await cid.patch(`${ISSUES}/1`, { title: 'It hums', body: '', ref: '' });
  assert.equal(changed.status, 201, changed.text);
  assert.deepEqual([changed.body.title, changed.body.body, changed.body.ref], ['It hums', '', '']);
  // Clients that change other fields send an empty title, which changes nothing.
  const closed = (await cid.patch(`${ISSUES}/1`, { title: '', state: 'closed' })).body;
  assert.equal(closed.title, 'It hums');
  assert.deepEqual([closed.state, closed.closed_at], ['closed', closed.updated_at]);
  const again = (await ada.patch(`${ISSUES}/1`, { state: 'closed', title: 'Hum' })).body;
  assert.equal(again.closed_at, closed.closed_at);
  const reopened = (await ada.patch(`${ISSUES}/1`, { state: 'open' })).body;
  assert.deepEqual([reopened.state, reopened.closed_at], ['open', null]);
  assert.equal((await ada.delete(`${ISSUES}/1`)).status, 204);
  for (const method of ['get', 'delete', 'patch'] as const)
    assert.equal((await ada[method](`${ISSUES}/1`, {})).status, 404);
  assert.equal((await open(ada, 'The number of a deleted issue is not used again')).number, 2);
  const about = { issueId: id, number: 1, isPull: false };
  assert.deepEqual((await eventsOf(forge.forge.running.engines.database, 'issue.')).slice(0, -1), [
    { kind: 'issue.created', actor: 'cid', ...about, title: 'It rattles' },
    { kind: 'issue.changed', actor: 'cid', ...about, changed: ['title', 'body', 'ref'] },
    { kind: 'issue.closed', actor: 'cid', ...about },
    { kind: 'issue.changed', actor: 'ada', ...about, changed: ['title'] },
    { kind: 'issue.reopened', actor: 'ada', ...about },
    { kind: 'issue.deleted', actor: 'ada', ...about, title: 'Hum' },
  ]);
});

test('labels, milestone, assignees and due date are set by people who may write, and ignored from others', async (t) => {
  const { ada, ben, cid } = await startTracker(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'f00' })).body;
  const milestone = (await ada.post(`${ENGINE}/milestones`, { title: 'First' })).body;
  const managed = {
    labels: [label.id],
    milestone: milestone.id,
    assignees: ['Ben', 'ada'],
    due_date: '2030-01-31T12:00:00Z',
  };
  const of = (issue: Wire) => [
    issue.labels.map(({ name }: Wire) => name),
    issue.milestone?.title ?? null,
    issue.assignee?.login ?? null,
    issue.assignees?.map(({ login }: Wire) => login) ?? null,
    issue.due_date,
  ];
  const set = [['bug'], 'First', 'ada', ['ada', 'ben'], '2030-01-31T23:59:59Z'];
  const unset = [[], null, null, null, null];

  assert.deepEqual(of(await open(ben, 'Managed', managed)), set);
  assert.deepEqual(of(await open(cid, 'Ignored', managed)), unset);
  const { labels: _, ...edit } = managed;
  assert.deepEqual(of((await cid.patch(`${ISSUES}/2`, edit)).body), unset);
  assert.deepEqual(of((await ben.patch(`${ISSUES}/2`, edit)).body), [[], ...set.slice(1)]);
  const cleared = { milestone: 0, assignees: [], unset_due_date: true };
  assert.deepEqual(of((await ben.patch(`${ISSUES}/2`, cleared)).body), unset);
  const counts = async () => {
    const { open_issues, closed_issues } = (await ada.get(`${ENGINE}/milestones/${milestone.id}`)).body;
    return [open_issues, closed_issues, (await ada.get(ENGINE)).body.open_issues_count];
  };
  assert.deepEqual(await counts(), [1, 0, 2]);
  await ben.patch(`${ISSUES}/1`, { state: 'closed' });
  assert.deepEqual(await counts(), [0, 1, 1]);
  await ada.delete(`${ISSUES}/1`);
  assert.deepEqual(await counts(), [0, 0, 1]);
});

test('a due date is the day that the client states, in any zone', async (t) => {
  const { ada } = await startTracker(t);
  await open(ada, 'Edited');

  for (const [stated, day] of STATED_DAYS) {
    const created = await open(ada, 'Created', { due_date: stated });
    assert.equal(created.due_date, `${day}T23:59:59Z`, stated);
    const edited = await ada.patch(`${ISSUES}/1`, { due_date: stated });
    assert.equal(edited.body.due_date, `${day}T23:59:59Z`, stated);
    const deadline = await ada.post(`${ISSUES}/1/deadline`, { due_date: stated });
    assert.equal(deadline.body.due_date, `${day}T23:59:59Z`, stated);
  }
  const none = await open(ada, 'None', { due_date: '0001-01-01T00:00:00Z' });
  assert.equal(none.due_date, null);
  assert.equal((await ada.post(ISSUES, { title: 'No', due_date: '2030-02-30T00:00:00Z' })).status, 422);
});

test('only the author of an issue and people who may write change it, and only administrators delete it', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const dan = await forge.account('dan');
  await open(cid, 'Theirs');
  const statuses = async (method: 'patch' | 'delete', ...people: readonly (typeof ada)[]) =>
    Promise.all(people.map(async (who) => (await who[method](`${ISSUES}/1`, {})).status));

  assert.deepEqual(await statuses('patch', ada, ben, cid, dan), [201, 201, 201, 403]);
  assert.deepEqual(await statuses('delete', ben, cid, dan), [403, 403, 403]);
  assert.equal((await forge.send('PATCH', `${ISSUES}/1`, { json: {} })).status, 401);
  assert.equal((await forge.send('POST', ISSUES, { json: { title: 'No one' } })).status, 401);
  const at = '2020-01-01T00:00:00Z';
  assert.equal((await ben.patch(`${ISSUES}/1`, { title: 'Then', updated_at: at })).status, 403);
  assert.equal((await ada.patch(`${ISSUES}/1`, { title: 'Then', updated_at: at })).status, 422);
});

test('an issue with an unfit field, or one that names something unknown, is rejected', async (t) => {
  const { ada } = await startTracker(t);
  await ada.repository('other');
  const foreign = {
    label: (await ada.post('/api/v1/repos/ada/other/labels', { name: 'bug', color: 'f00' })).body.id,
    milestone: (await ada.post('/api/v1/repos/ada/other/milestones', { title: 'First' })).body.id,
  };
  await open(ada, 'Kept');
  const bad: readonly Record<string, unknown>[] = [
    { title: ' ' },
    { title: 'a\nb' },
    { title: 'x'.repeat(ISSUE_LIMITS.issueTitleCharsMax + 1) },
    { title: 7 },
    { body: 'nul \0' },
    { body: 'x'.repeat(ISSUE_LIMITS.issueBodyCharsMax + 1) },
    { ref: 'x'.repeat(ISSUE_LIMITS.issueRefCharsMax + 1) },
    { due_date: 'tomorrow' },
    { milestone: 999_999 },
    { milestone: foreign.milestone },
    { assignees: ['cid'] },
    { assignees: ['no-such-user'] },
    { assignees: 'ada' },
  ];

  for (const fields of bad) {
    assert.equal((await ada.post(ISSUES, { title: 'New', ...fields })).status, 422, JSON.stringify(fields));
    assert.equal((await ada.patch(`${ISSUES}/1`, fields)).status, 422, JSON.stringify(fields));
  }
  for (const labels of [[999_999], [foreign.label], ['bug']])
    assert.equal((await ada.post(ISSUES, { title: 'New', labels })).status, 422);
  assert.equal((await ada.patch(`${ISSUES}/1`, { state: 'gone' })).status, 422);
  assert.equal((await ada.post(ISSUES, {})).status, 422);
  for (const number of ['0', '2', 'x', '9'.repeat(30)])
    assert.equal((await ada.get(`${ISSUES}/${number}`)).status, 404, number);
  assert.deepEqual(await numbersAt(ada, `${ISSUES}?state=all`), [1]);
  assert.equal((await open(ada, 'The rejected ones took no number')).number, 2);
});

test('64 parallel creates get 64 numbers without a gap', async (t) => {
  const { ada } = await startTracker(t);

  const created = await Promise.all(Array.from({ length: 64 }, (_, each) => open(ada, `Issue ${each}`)));

  const numbers = created.map(({ number }) => number).toSorted((one, other) => one - other);
  assert.deepEqual(
    numbers,
    Array.from({ length: 64 }, (_, each) => each + 1),
  );
  assert.equal((await ada.get(ENGINE)).body.open_issues_count, 64);
});

test('a list has every filter and order, and its total', async (t) => {
  const { ada, ben, cid } = await startTracker(t);
  const label = async (name: string) => (await ada.post(`${ENGINE}/labels`, { name, color: 'f00' })).body.id;
  const [bug, ui] = [await label('bug'), await label('ui')];
  const milestone = (await ada.post(`${ENGINE}/milestones`, { title: 'First' })).body;
  await open(ada, 'One', { labels: [bug], assignees: ['ben'], due_date: '2030-01-02T00:00:00Z' });
  await open(ben, 'Two', { labels: [bug, ui], milestone: milestone.id });
  await open(cid, 'Three');
  await open(ben, 'Four', { labels: [ui], due_date: '2030-01-01T00:00:00Z', closed: true });

  const cases: Readonly<Record<string, readonly number[]>> = {
    '': [3, 2, 1],
    'state=closed': [4],
    'state=all': [4, 3, 2, 1],
    'state=all&type=issues': [4, 3, 2, 1],
    'type=pulls': [],
    'labels=bug': [2, 1],
    'labels=bug,ui': [2],
    'labels=ui&state=all': [4, 2],
    'labels=none': [],
    'milestones=First': [2],
    [`milestones=${milestone.id}`]: [2],
    'milestones=none': [],
    'created_by=ben': [2],
    'created_by=Ben&state=all': [4, 2],
    'assigned_by=ben': [1],
    'mentioned_by=ben': [],
    'since=2000-01-01T00:00:00Z': [3, 2, 1],
    'since=2100-01-01T00:00:00Z': [],
    'since=2000-01-01T00:00:00+02:00': [3, 2, 1],
    'since=2100-01-01T00:00:00%2B02:00': [],
    'before=2000-01-01T00:00:00+02:00': [],
    'before=2000-01-01T00:00:00Z': [],
    'sort=oldest': [1, 2, 3],
    'sort=nearduedate&state=all': [4, 1, 2, 3],
    'sort=farduedate&state=all': [1, 4, 3, 2],
    'sort=unknown': [3, 2, 1],
    'labels=bug&created_by=ada&assigned_by=ben': [1],
  };
  for (const [query, numbers] of Object.entries(cases)) {
    const answer = await ada.get(`${ISSUES}?${query}`);
    assert.deepEqual(
      answer.body.map(({ number }: Wire) => number),
      numbers,
      query,
    );
    assert.equal(answer.headers.get('x-total-count'), String(numbers.length), query);
  }
  const page = await ada.get(`${ISSUES}?limit=1&page=2`);
  assert.deepEqual(
    [page.body.map(({ number }: Wire) => number), page.headers.get('x-total-count')],
    [[2], '3'],
  );
  for (const bad of ['since=yesterday', 'before=x', 'since=2000-02-30T00:00:00Z'])
    assert.equal((await ada.get(`${ISSUES}?${bad}`)).status, 422);
  assert.equal((await ada.get(`${ISSUES}?created_by=no-such-user`)).status, 404);
});

test('a repository without issues hides them, and an archived one keeps them as they are', async (t) => {
  const { ada } = await startTracker(t);
  await open(ada, 'Kept');
  const statuses = async () => [
    (await ada.get(ISSUES)).status,
    (await ada.get(`${ISSUES}/1`)).status,
    (await ada.post(ISSUES, { title: 'New' })).status,
    (await ada.patch(`${ISSUES}/1`, { title: 'Changed' })).status,
    (await ada.delete(`${ISSUES}/1`)).status,
  ];

  await ada.patch(ENGINE, { archived: true });
  assert.deepEqual(await statuses(), [200, 200, 423, 423, 423]);
  await ada.patch(ENGINE, { archived: false, has_issues: false });
  // The list has pull requests, too.
  assert.deepEqual(await statuses(), [200, 404, 404, 404, 404]);
  assert.deepEqual(await numbersAt(ada, `${ISSUES}?state=all`), []);
  assert.equal((await ada.get(`${ISSUES}?type=issues`)).status, 404);
  const { has_issues, open_issues_count } = (await ada.get(ENGINE)).body;
  assert.deepEqual([has_issues, open_issues_count], [false, 0]);
  const external = { external_tracker_url: 'https://tracker.example.org' };
  await ada.patch(ENGINE, { has_issues: true, external_tracker: external });
  assert.deepEqual(await numbersAt(ada, ISSUES), []);
  await ada.patch(ENGINE, { has_pull_requests: false });
  assert.equal((await ada.get(ISSUES)).status, 404);
  await ada.patch(ENGINE, { has_issues: true, internal_tracker: {} });
  assert.deepEqual(await numbersAt(ada, ISSUES), [1]);
});

test('issues of a private repository are missing for strangers, and no issue is found below another repository', async (t) => {
  const { forge, ada, cid } = await startTracker(t, { private: true });
  await ada.repository('other');
  await open(ada, 'Hidden');

  for (const who of [forge, cid]) {
    for (const url of [ISSUES, `${ISSUES}/1`]) assert.equal((await who.get(url)).status, 404, url);
  }
  assert.equal((await cid.post(ISSUES, { title: 'New' })).status, 404);
  for (const method of ['get', 'patch', 'delete'] as const)
    assert.equal((await ada[method]('/api/v1/repos/ada/other/issues/1', {})).status, 404);
});

test('labels of an organization are offered to the issues of its repositories', async (t) => {
  const guild = await startGuild(t);
  await guild.repository('engine');
  const made = await guild.ada.post('/api/v1/orgs/guild/labels', { name: 'urgent', color: 'f00' });

  const issue = await open(guild.ada, 'One', { labels: [made.body.id] }, '/api/v1/repos/guild/engine/issues');

  assert.deepEqual(issue.labels, [made.body]);
});

test('an issue changes only while it is the version that If-Match names', async (t) => {
  const { ada } = await startTracker(t);
  await open(ada, 'One');
  const etag = (await ada.get(`${ISSUES}/1`)).headers.get('etag') ?? '';
  const send = (method: string, fields: object) =>
    ada.send(method, `${ISSUES}/1`, { json: fields, headers: { 'if-match': etag } });

  assert.equal((await send('PATCH', { title: 'Two' })).status, 201);
  assert.equal((await send('PATCH', { title: 'Three' })).status, 412);
  assert.equal((await send('DELETE', {})).status, 412);
  assert.equal((await ada.get(`${ISSUES}/1`)).body.title, 'Two');
});
