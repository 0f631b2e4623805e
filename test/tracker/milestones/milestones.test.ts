import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MILESTONE_LIMITS } from '../../../src/tracker/milestones/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { STATED_DAYS } from '../../support/stated-days.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const MILESTONES = `${ENGINE}/milestones`;
const DUE = '2030-01-02T03:04:05Z';
const NO_DATE = '0001-01-01T00:00:00Z';

async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  return { forge, ada, database: forge.forge.running.engines.database };
}

async function titlesAt(who: Person | TestForge, path = MILESTONES): Promise<readonly string[]> {
  const answer = await who.get(path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.map(({ title }: { title: string }) => title);
}

test('a milestone is created, read, changed and deleted, each with an event', async (t) => {
  const { forge, ada, database } = await startEngine(t);

  const created = await ada.post(MILESTONES, { title: ' First ', description: 'One\nTwo', due_on: DUE });

  assert.equal(created.status, 201, created.text);
  const { id, created_at, updated_at, ...fields } = created.body;
  assert.equal(created_at, updated_at);
  assert.deepEqual(fields, {
    title: 'First',
    description: 'One\nTwo',
    state: 'open',
    open_issues: 0,
    closed_issues: 0,
    closed_at: null,
    due_on: DUE,
  });
  const url = `${MILESTONES}/${id}`;
  assert.deepEqual((await forge.get(url)).body, created.body);
  const changed = await ada.patch(url, { title: 'Second', due_on: '2030-01-02T04:04:05.9+01:00' });
  assert.deepEqual([changed.body.title, changed.body.due_on], ['Second', DUE]);
  assert.equal((await ada.patch(url, { due_on: NO_DATE })).body.due_on, null);
  assert.equal((await ada.delete(url)).status, 204);
  for (const method of ['get', 'delete'] as const) assert.equal((await ada[method](url)).status, 404);
  const about = { actor: 'ada', milestoneId: id };
  assert.deepEqual(await eventsOf(database, 'milestone.'), [
    { kind: 'milestone.created', ...about, title: 'First' },
    { kind: 'milestone.changed', ...about, title: 'Second', changed: ['title'] },
    { kind: 'milestone.changed', ...about, title: 'Second', changed: ['dueAt'] },
    { kind: 'milestone.deleted', ...about, title: 'Second' },
  ]);
});

test('the due date of a milestone is on the day that the client states, in any zone', async (t) => {
  const { ada } = await startEngine(t);
  const { id } = (await ada.post(MILESTONES, { title: 'Edited' })).body;

  for (const [stated, day, time] of STATED_DAYS) {
    const created = await ada.post(MILESTONES, { title: stated, due_on: stated });
    assert.equal(created.body.due_on, `${day}T${time}Z`);
    assert.equal((await ada.patch(`${MILESTONES}/${id}`, { due_on: stated })).body.due_on, `${day}T${time}Z`);
  }
});

test('a closed milestone has the time of its closing until it is reopened', async (t) => {
  const { ada } = await startEngine(t);
  const { id } = (await ada.post(MILESTONES, { title: 'First' })).body;
  const url = `${MILESTONES}/${id}`;

  const closed = (await ada.patch(url, { state: 'closed' })).body;

  assert.equal(closed.state, 'closed');
  assert.equal(closed.closed_at, closed.updated_at);
  assert.equal((await ada.patch(url, { state: 'closed', title: 'Last' })).body.closed_at, closed.closed_at);
  const { state, closed_at } = (await ada.patch(url, { state: 'open' })).body;
  assert.deepEqual([state, closed_at], ['open', null]);
  // Some clients send an empty text for what they do not set.
  const kept = (await ada.patch(url, { title: '', state: '', description: 'Kept' })).body;
  assert.deepEqual([kept.title, kept.state, kept.description], ['Last', 'open', 'Kept']);
  assert.equal((await ada.post(MILESTONES, { title: 'New', state: '' })).body.state, 'open');
  const done = (await ada.post(MILESTONES, { title: 'Done', state: 'closed' })).body;
  assert.deepEqual([done.state, done.closed_at], ['closed', done.created_at]);
});

test('a milestone without a title, or with an unfit field, is rejected', async (t) => {
  const { ada } = await startEngine(t);
  const { id } = (await ada.post(MILESTONES, { title: 'First' })).body;
  const bad: readonly Record<string, unknown>[] = [
    { title: ' ' },
    { title: 'a\nb' },
    { title: 'x'.repeat(MILESTONE_LIMITS.milestoneTitleCharsMax + 1) },
    { title: 7 },
    { description: 'nul \0' },
    { description: 'x'.repeat(MILESTONE_LIMITS.milestoneDescriptionCharsMax + 1) },
    { due_on: 'tomorrow' },
    { due_on: '2030-01-02' },
    { due_on: '2030-13-02T00:00:00Z' },
    { due_on: '2030-02-30T00:00:00Z' },
    { state: 'all' },
  ];

  for (const fields of bad) {
    const what = JSON.stringify(fields).slice(0, 60);
    assert.equal((await ada.post(MILESTONES, { title: 'Other', ...fields })).status, 422, what);
    assert.equal((await ada.patch(`${MILESTONES}/${id}`, fields)).status, 422, what);
  }
  for (const fields of [{}, { title: '' }]) assert.equal((await ada.post(MILESTONES, fields)).status, 422);

  assert.deepEqual(await titlesAt(ada, `${MILESTONES}?state=all`), ['First']);
});

test('milestones are listed by due date, by state, by part of the title and in pages', async (t) => {
  const { ada } = await startEngine(t);
  const made: readonly Record<string, string>[] = [
    { title: 'Some day' },
    { title: 'Later', due_on: '2031-01-01T00:00:00Z' },
    { title: 'B 100%', due_on: DUE },
    { title: 'Änderung', due_on: DUE },
    { title: 'Over', state: 'closed', due_on: '2020-01-01T00:00:00Z' },
  ];
  for (const body of made) await ada.post(MILESTONES, body);
  const open = ['B 100%', 'Änderung', 'Later', 'Some day'];

  assert.deepEqual(await titlesAt(ada), open);
  for (const [query, expected] of [
    ['state=closed', ['Over']],
    ['state=all', ['Over', ...open]],
    ['state=nonsense', open],
    ['name=LATER', ['Later']],
    ['name=%C3%A4nder', ['Änderung']],
    ['name=0%25', ['B 100%']],
    ['name=_', []],
    ['name=%00', []],
    ['state=closed&name=o', ['Over']],
    ['limit=3&page=2', ['Some day']],
  ] as const)
    assert.deepEqual(await titlesAt(ada, `${MILESTONES}?${query}`), expected, query);
  assert.equal((await ada.get(`${MILESTONES}?limit=3`)).headers.get('x-total-count'), '4');
});

test('a milestone is found by its id or its title, and only in its repository', async (t) => {
  const { ada } = await startEngine(t);
  await ada.repository('loom');
  const { id } = (await ada.post(MILESTONES, { title: 'Version 1/2' })).body;
  const { id: numbered } = (await ada.post(MILESTONES, { title: '2030' })).body;
  const other = '/api/v1/repos/ada/loom/milestones';

  assert.equal((await ada.get(`${MILESTONES}/Version%201%2F2`)).body.id, id);
  assert.equal((await ada.get(`${MILESTONES}/2030`)).body.id, numbered);
  assert.equal((await ada.get(`${MILESTONES}/version%201%2F2`)).status, 404);
  for (const key of [id, 'Version%201%2F2', '0', '%00']) {
    const url = `${other}/${key}`;
    assert.equal((await ada.get(url)).status, 404, url);
    assert.equal((await ada.patch(url, { title: 'Taken' })).status, 404, url);
    assert.equal((await ada.delete(url)).status, 404, url);
  }
  assert.deepEqual(await titlesAt(ada), ['2030', 'Version 1/2']);
});

test('milestones follow the units of issues and pull requests', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  await guild.repository('handbook', { private: true });
  const units = (map: Record<string, string>) => ({
    repositories: ['handbook'],
    permission: 'read',
    units_map: map,
  });
  await guild.team('planners', { ...units({ 'repo.issues': 'write' }), members: [ben] });
  await guild.team('coders', { ...units({ 'repo.code': 'write' }), members: [cleo] });
  const handbook = '/api/v1/repos/guild/handbook';
  const url = `${handbook}/milestones`;

  assert.equal((await ben.post(url, { title: 'First' })).status, 201);
  assert.equal((await cleo.get(url)).status, 403);
  assert.equal((await forge.get(url)).status, 404);
  await ada.patch(handbook, { has_issues: false });
  assert.equal((await ben.patch(`${url}/First`, { state: 'closed' })).status, 403);
  assert.deepEqual(await titlesAt(ada, url), ['First']);
  await ada.patch(handbook, { has_pull_requests: false });
  assert.equal((await ada.get(url)).status, 404);
  assert.equal((await ada.post(url, { title: 'Second' })).status, 404);
});

test('milestones of an archived repository can be read only, and go with it', async (t) => {
  const { ada, database } = await startEngine(t);
  await ada.post(MILESTONES, { title: 'First' });

  await ada.patch(ENGINE, { archived: true });

  assert.equal((await ada.post(MILESTONES, { title: 'Second' })).status, 423);
  assert.equal((await ada.patch(`${MILESTONES}/First`, { state: 'closed' })).status, 423);
  assert.equal((await ada.delete(`${MILESTONES}/First`)).status, 423);
  assert.deepEqual(await titlesAt(ada), ['First']);
  await ada.delete(ENGINE);
  assert.deepEqual(await database.reader.selectFrom('milestones').selectAll().execute(), []);
});

test('a change of milestones with If-Match applies only to the version that the caller has seen', async (t) => {
  const { forge, ada } = await startEngine(t);
  const send = (method: string, path: string, etag: string, json?: unknown) =>
    forge.send(method, path, { as: { token: ada.token }, json, headers: { 'if-match': etag } });
  const empty = (await ada.get(MILESTONES)).headers.get('etag') ?? '';

  assert.equal((await send('POST', MILESTONES, empty, { title: 'First' })).status, 201);
  assert.equal((await send('POST', MILESTONES, empty, { title: 'Second' })).status, 412);
  const url = `${MILESTONES}/First`;
  const first = (await ada.get(url)).headers.get('etag') ?? '';
  assert.equal((await send('PATCH', url, first, { description: 'x' })).status, 200);
  assert.equal((await send('PATCH', url, first, { description: 'y' })).status, 412);
  assert.equal((await send('DELETE', url, first)).status, 412);
  assert.equal((await send('DELETE', url, '*')).status, 204);
});

test('a repository has no more milestones than the limit', async (t) => {
  const { ada, database } = await startEngine(t);
  const { id } = (await ada.get(ENGINE)).body;
  const row = { repository_id: id, description: '', created_at: 0, updated_at: 0 };
  await database.transaction(async (tx) => {
    const rows = Array.from({ length: MILESTONE_LIMITS.milestonesPerRepositoryMax - 1 }, (_, at) => ({
      ...row,
      title: `m${at}`,
      lower_title: `m${at}`,
    }));
    await tx.insertInto('milestones').values(rows).execute();
  });

  const made = await Promise.all([1, 2, 3].map((at) => ada.post(MILESTONES, { title: `n${at}` })));

  assert.deepEqual(made.map(({ status }) => status).toSorted(), [201, 422, 422]);
});
