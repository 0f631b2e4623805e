import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { labels as labelsMigration } from '../../../src/base/database/migrations/0025-labels.ts';
import { LABEL_LIMITS } from '../../../src/tracker/labels/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const LABELS = `${ENGINE}/labels`;

async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  return { forge, ada, database: forge.forge.running.engines.database };
}

async function namesAt(who: Person | TestForge, path: string): Promise<readonly string[]> {
  const answer = await who.get(path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.map(({ name }: { name: string }) => name);
}

test('a label is created, read, changed and deleted, each with an event', async (t) => {
  const { forge, ada, database } = await startEngine(t);

  const created = await ada.post(LABELS, { name: ' Kind/Bug ', color: '#EE0701', description: 'Broken' });

  assert.equal(created.status, 201, created.text);
  const { id, ...fields } = created.body;
  assert.deepEqual(fields, {
    name: 'Kind/Bug',
    exclusive: false,
    is_archived: false,
    color: 'ee0701',
    description: 'Broken',
    url: `${forge.url}${LABELS}/${id}`,
  });
  assert.deepEqual((await forge.get(`${LABELS}/${id}`)).body, created.body);
  const changed = await ada.patch(`${LABELS}/${id}`, { color: '0af', exclusive: true, is_archived: true });
  const expected = { ...created.body, color: '00aaff', exclusive: true, is_archived: true };
  assert.deepEqual([changed.status, changed.body], [200, expected]);
  assert.deepEqual((await ada.patch(`${LABELS}/${id}`, { color: '00AAFF' })).body, expected);
  assert.deepEqual((await ada.get(LABELS)).body, [expected]);
  assert.equal((await ada.patch(`${LABELS}/${id}`, { is_archived: false })).body.is_archived, false);
  assert.equal((await ada.delete(`${LABELS}/${id}`)).status, 204);
  for (const method of ['get', 'delete'] as const)
    assert.equal((await ada[method](`${LABELS}/${id}`)).status, 404);
  const about = { actor: 'ada', labelId: id, name: 'Kind/Bug' };
  assert.deepEqual(await eventsOf(database, 'label.'), [
    { kind: 'label.created', ...about },
    { kind: 'label.changed', ...about, changed: ['color', 'isExclusive', 'isArchived'] },
    { kind: 'label.changed', ...about, changed: ['isArchived'] },
    { kind: 'label.deleted', ...about },
  ]);
});

test('a label without a name or a color, or with an unfit one, is rejected', async (t) => {
  const { ada } = await startEngine(t);
  const { id } = (await ada.post(LABELS, { name: 'bug', color: 'fff' })).body;
  const bad: readonly Record<string, unknown>[] = [
    { name: '' },
    { name: '  ' },
    { name: 'a\nb' },
    { name: 'x'.repeat(LABEL_LIMITS.labelNameCharsMax + 1) },
    { name: 7 },
    { color: '' },
    { color: 'red' },
    { color: '##ffffff' },
    { color: 'ffff' },
    { color: '#ggg' },
    { color: 123456 },
    { description: 'x'.repeat(LABEL_LIMITS.labelDescriptionCharsMax + 1) },
    { description: 'nul \0' },
    { exclusive: 'yes' },
  ];

  for (const fields of bad) {
    const what = JSON.stringify(fields).slice(0, 60);
    const body = { name: 'other', color: '#000000', ...fields };
    assert.equal((await ada.post(LABELS, body)).status, 422, what);
    assert.equal((await ada.patch(`${LABELS}/${id}`, fields)).status, 422, what);
  }
  for (const body of [{ name: 'other' }, { color: '#000000' }, {}])
    assert.equal((await ada.post(LABELS, body)).status, 422, JSON.stringify(body));

  assert.deepEqual(await namesAt(ada, LABELS), ['bug']);
});

test('labels are listed by name in pages with a total, and names may repeat', async (t) => {
  const { ada } = await startEngine(t);
  for (const name of ['b', 'a', 'c', 'a']) await ada.post(LABELS, { name, color: 'fff' });

  const page = await ada.get(`${LABELS}?limit=3`);

  assert.deepEqual([page.headers.get('x-total-count'), page.body.length], ['4', 3]);
  assert.match(page.headers.get('link') ?? '', /page=2.*rel="next"/);
  assert.deepEqual(await namesAt(ada, `${LABELS}?limit=3&page=2`), ['c']);
  for (const sort of ['', 'nonsense', 'mostissues', 'leastissues'])
    assert.deepEqual(await namesAt(ada, `${LABELS}?sort=${sort}`), ['a', 'a', 'b', 'c'], sort);
  assert.deepEqual(await namesAt(ada, `${LABELS}?sort=reversealphabetically`), ['c', 'b', 'a', 'a']);
});

test('a label of another repository or organization is missing', async (t) => {
  const guild = await startGuild(t);
  const { ada } = guild;
  await guild.repository('handbook');
  await ada.repository('engine');
  const [own, ofGuild, ofHandbook] = [
    LABELS,
    '/api/v1/orgs/guild/labels',
    '/api/v1/repos/guild/handbook/labels',
  ];
  const places = [own, ofGuild, ofHandbook];
  const ids: number[] = [];
  for (const place of places) ids.push((await ada.post(place, { name: place, color: 'fff' })).body.id);

  for (const [at, place] of places.entries())
    for (const [of, id] of ids.entries()) {
      if (of === at) continue;
      const url = `${place}/${id}`;
      assert.equal((await ada.get(url)).status, 404, url);
      assert.equal((await ada.patch(url, { name: 'taken' })).status, 404, url);
      assert.equal((await ada.delete(url)).status, 404, url);
    }

  for (const place of places) assert.deepEqual(await namesAt(ada, place), [place]);
});

test('labels follow the units of issues and pull requests', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  await guild.repository('handbook', { private: true });
  const repositories = ['handbook'];
  const units = (map: Record<string, string>) => ({ repositories, permission: 'read', units_map: map });
  await guild.team('reviewers', { ...units({ 'repo.pulls': 'write' }), members: [ben] });
  await guild.team('coders', { ...units({ 'repo.code': 'write' }), members: [cleo] });
  const handbook = '/api/v1/repos/guild/handbook';
  const label = { name: 'bug', color: 'fff' };

  assert.equal((await ben.post(`${handbook}/labels`, label)).status, 201);
  assert.deepEqual(await namesAt(ben, `${handbook}/labels`), ['bug']);
  assert.equal((await cleo.get(`${handbook}/labels`)).status, 403);
  assert.equal((await cleo.post(`${handbook}/labels`, label)).status, 403);
  assert.equal((await forge.get(`${handbook}/labels`)).status, 404);

  await ada.patch(handbook, { has_pull_requests: false });
  assert.equal(
    (await ben.post(`${handbook}/labels`, label)).status,
    403,
    'a unit that is off gives no rights',
  );
  assert.deepEqual(await namesAt(ada, `${handbook}/labels`), ['bug']);
  await ada.patch(handbook, {
    external_tracker: { external_tracker_url: 'https://bugs.example', external_tracker_format: '' },
  });
  for (const path of ['labels', 'labels/1']) assert.equal((await ada.get(`${handbook}/${path}`)).status, 404);
  await ada.patch(handbook, { has_pull_requests: true, has_issues: false });
  assert.deepEqual(await namesAt(ada, `${handbook}/labels`), ['bug']);
});

test('labels of an archived repository can be read only', async (t) => {
  const { forge, ada } = await startEngine(t);
  const eve = await forge.account('eve');
  const label = { name: 'bug', color: 'fff' };
  const { id } = (await ada.post(LABELS, label)).body;
  assert.equal((await eve.post(LABELS, label)).status, 403);
  assert.equal((await forge.send('POST', LABELS, { json: label })).status, 401);

  await ada.patch(ENGINE, { archived: true });

  assert.equal((await ada.post(LABELS, label)).status, 423);
  assert.equal((await ada.patch(`${LABELS}/${id}`, { name: 'other' })).status, 423);
  assert.equal((await ada.delete(`${LABELS}/${id}`)).status, 423);
  assert.deepEqual(await namesAt(eve, LABELS), ['bug']);
});

test('a token needs the scope of issues for labels of a repository', async (t) => {
  const { forge, ada } = await startEngine(t);
  const [reading, other] = [await ada.tokenFor(['read:issue']), await ada.tokenFor(['write:repository'])];
  const asked = (token: string, method: string) =>
    forge.send(method, LABELS, { as: { token }, json: { name: 'bug', color: 'fff' } });

  assert.equal((await ada.get(LABELS, { as: { token: reading } })).status, 200);
  assert.equal((await asked(reading, 'POST')).status, 403);
  assert.equal((await ada.get(LABELS, { as: { token: other } })).status, 403);
});

test('a change of labels with If-Match applies only to the version that the caller has seen', async (t) => {
  const { forge, ada } = await startEngine(t);
  const empty = (await ada.get(LABELS)).headers.get('etag') ?? '';
  const label = { name: 'bug', color: 'fff' };
  const send = (method: string, path: string, etag: string, json?: unknown) =>
    forge.send(method, path, { as: { token: ada.token }, json, headers: { 'if-match': etag } });

  const { status, body } = await send('POST', LABELS, empty, label);
  assert.equal(status, 201);
  assert.equal((await send('POST', LABELS, empty, label)).status, 412);
  const url = `${LABELS}/${body.id}`;
  const first = (await ada.get(url)).headers.get('etag') ?? '';
  assert.equal((await send('PATCH', url, first, { name: 'defect' })).status, 200);
  assert.equal((await send('PATCH', url, first, { name: 'fault' })).status, 412);
  assert.equal((await send('DELETE', url, first)).status, 412);
  assert.equal((await send('DELETE', url, '*')).status, 204);
});

test('only owners of an organization change its labels, and every viewer of it reads them', async (t) => {
  const { forge, ada } = await startGuild(t);
  const eve = await forge.account('eve');
  const url = '/api/v1/orgs/guild/labels';

  const created = await ada.post(url, { name: 'team/red', color: '#f00', exclusive: true });

  assert.equal(created.status, 201, created.text);
  const { id } = created.body;
  assert.equal(created.body.url, `${forge.url}${url}/${id}`);
  assert.equal((await eve.post(url, { name: 'x', color: 'fff' })).status, 403);
  assert.equal((await eve.patch(`${url}/${id}`, { name: 'x' })).status, 403);
  assert.equal((await eve.delete(`${url}/${id}`)).status, 403);
  assert.deepEqual((await eve.get(`${url}/${id}`)).body, created.body);
  assert.deepEqual(await namesAt(forge, url), ['team/red']);
  await ada.patch('/api/v1/orgs/guild', { visibility: 'private' });
  for (const who of [eve, forge]) assert.equal((await who.get(`${url}/${id}`)).status, 404);
  assert.equal((await ada.patch(`${url}/${id}`, { name: 'team/blue' })).body.name, 'team/blue');
  assert.equal((await ada.delete(`${url}/${id}`)).status, 204);
});

test('labels go with their repository or organization', async (t) => {
  const guild = await startGuild(t);
  const { ada } = guild;
  await guild.repository('handbook', { issue_labels: 'Default' });
  const { reader } = guild.forge.forge.running.engines.database;
  const left = async () => (await reader.selectFrom('labels').select('id').execute()).length;
  await ada.post('/api/v1/orgs/guild/labels', { name: 'bug', color: 'fff' });
  assert.equal(await left(), 8);

  await ada.delete('/api/v1/repos/guild/handbook');
  assert.equal(await left(), 1);
  await ada.delete('/api/v1/orgs/guild');
  assert.equal(await left(), 0);
});

test('a repository starts with the labels of its set, and copies those of its template, archived ones too', async (t) => {
  const { ada } = await startEngine(t);
  await ada.repository('kit', { template: true, issue_labels: 'Default' });
  const kit = '/api/v1/repos/ada/kit/labels';
  const [bug] = (await ada.get(kit)).body;
  await ada.patch(`${kit}/${bug.id}`, { is_archived: true });

  const made = await ada.post('/api/v1/repos/ada/kit/generate', { name: 'mine', owner: 'ada', labels: true });

  assert.equal(made.status, 201, made.text);
  const bare = ({ id: _, url: __, ...rest }: { id: number; url: string }) => rest;
  const copied = (await ada.get('/api/v1/repos/ada/mine/labels')).body;
  assert.deepEqual(copied.map(bare), (await ada.get(kit)).body.map(bare));
  assert.deepEqual([copied[0].name, copied[0].is_archived], ['bug', true]);
});

test('a repository has no more labels than the limit, also if many are created at once', async (t) => {
  const { ada, database } = await startEngine(t);
  const { id } = (await ada.get(ENGINE)).body;
  const row = { repository_id: id, color: 'ffffff', description: '', created_at: 0 };
  await database.transaction(async (tx) => {
    const rows = Array.from({ length: LABEL_LIMITS.labelsPerOwnerMax - 2 }, (_, at) => ({
      ...row,
      name: `l${at}`,
    }));
    await tx.insertInto('labels').values(rows).execute();
  });

  const made = await Promise.all(
    Array.from({ length: 6 }, (_, at) => ada.post(LABELS, { name: `n${at}`, color: 'fff' })),
  );

  assert.deepEqual(made.map(({ status }) => status).toSorted(), [201, 201, 422, 422, 422, 422]);
  assert.equal((await ada.get(LABELS)).headers.get('x-total-count'), String(LABEL_LIMITS.labelsPerOwnerMax));
});

test('the migration of labels keeps those of repositories, in their order', async (t) => {
  const { ada, database } = await startEngine(t);
  await ada.repository('kit', { issue_labels: 'Default' });
  const kit = '/api/v1/repos/ada/kit/labels';
  const before = await namesAt(ada, kit);

  // The migration reads only columns that the table also had before it.
  await database.transaction(async (tx) => {
    // A later table, which refers to the one that the migration makes again.
    await tx.schema.dropTable('issue_labels').execute();
    await labelsMigration.up(tx, database.dialect);
  });

  assert.equal(before.length, 7);
  assert.deepEqual(await namesAt(ada, kit), before);
  assert.equal((await ada.post(kit, { name: 'zebra', color: 'fff' })).status, 201);
  assert.deepEqual(await namesAt(ada, kit), [...before, 'zebra']);
});
