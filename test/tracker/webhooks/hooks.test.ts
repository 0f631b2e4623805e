import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giteaApi } from 'gitea-js';
import { WEBHOOK_LIMITS } from '../../../src/tracker/webhooks/limits.ts';
import { HOOK_TYPES } from '../../../src/tracker/webhooks/model.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { ALLOWED, addHook, delivered, HOOKS, startReceiver } from './receiver.ts';

const URL_OF_NONE = 'http://127.0.0.1:65535/hook';
const config = { url: URL_OF_NONE, content_type: 'json' };

test('administrators of a repository create, list, read, change and delete webhooks, and each change is one event', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const created = await ada.post(HOOKS, { type: 'gitea', config: { ...config, secret: 'hidden', x: 'y' } });
  assert.equal(created.status, 201);
  const { id, created_at: createdAt, updated_at: updatedAt, ...rest } = created.body;
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    type: 'gitea',
    url: URL_OF_NONE,
    content_type: 'json',
    branch_filter: '',
    config: { ...config, http_method: 'POST', x: 'y' },
    events: ['push'],
    authorization_header: '',
    active: false,
    metadata: { failing_since: null, stopped_at: null, last_error: '' },
  });
  const second = await addHook(ada, URL_OF_NONE, { events: [], authorization_header: 'Bearer hidden' });
  assert.deepEqual(second.events, ['push']);
  const page = await ada.get(`${HOOKS}?limit=1&page=2`);
  assert.deepEqual([page.body, page.headers.get('x-total-count')], [[second], '2']);
  const api = giteaApi(forge.url, { token: ada.token });
  assert.deepEqual((await api.repos.repoGetHook('ada', 'engine', id)).data, created.body);
  const edited = await ada.patch(`${HOOKS}/${id}`, {
    active: true,
    events: ['issues', 'issues', 'pull_request_review'],
    branch_filter: '{a,b}',
    config: { content_type: 'form', url: `${URL_OF_NONE}/2` },
  });
  assert.equal(edited.status, 200, edited.text);
  assert.deepEqual(
    [edited.body.active, edited.body.events, edited.body.branch_filter, edited.body.config],
    [
      true,
      ['issues', 'pull_request_review'],
      '{a,b}',
      { x: 'y', url: `${URL_OF_NONE}/2`, content_type: 'form', http_method: 'POST' },
    ],
  );
  for (const text of [created, edited, await ada.get(HOOKS)].map((answer) => answer.text))
    assert.doesNotMatch(text, /hidden/);
  for (const expected of [204, 404]) assert.equal((await ada.delete(`${HOOKS}/${id}`)).status, expected);
  const { database } = forge.forge.running.engines;
  assert.deepEqual(
    (await eventsOf(database, 'webhook.')).map(({ kind }) => kind),
    ['webhook.created', 'webhook.created', 'webhook.changed', 'webhook.deleted'],
  );
});

test('E3: secrets of webhooks are stored encrypted, and a change without one does not remove it', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { id } = await addHook(ada, receiver.url, {
    config: { secret: 'between-us' },
    authorization_header: 'Basic between-us',
  });
  const { reader } = forge.forge.running.engines.database;
  const rows = await reader.selectFrom('webhooks').selectAll().execute();
  assert.doesNotMatch(JSON.stringify(rows), /between-us/);
  await ada.patch(`${HOOKS}/${id}`, { active: true });
  await ada.post(`${HOOKS}/${id}/tests`);
  await delivered(forge);
  await ada.patch(`${HOOKS}/${id}`, { config: { secret: '' }, authorization_header: '' });
  await ada.post(`${HOOKS}/${id}/tests`);
  await delivered(forge);
  assert.deepEqual(
    receiver.received.map(({ headers }) => [
      headers.authorization,
      headers['x-hub-signature-256'] === undefined,
    ]),
    [
      ['Basic between-us', false],
      [undefined, true],
    ],
  );
  const { text } = await ada.get(`${HOOKS}/${id}/deliveries`);
  assert.doesNotMatch(text, /between-us/);
});

test('422 for an unknown type, a missing field, and values that make no sense', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const filter = 'x'.repeat(WEBHOOK_LIMITS.webhookFilterCharsMax + 1);
  for (const body of [
    { type: 'pigeon', config },
    { config },
    { type: 'gitea' },
    { type: 'gitea', config: {} },
    { type: 'gitea', config: { url: URL_OF_NONE } },
    { type: 'gitea', config: { content_type: 'json' } },
    { type: 'gitea', config: { ...config, content_type: 'xml' } },
    { type: 'gitea', config: { ...config, http_method: 'DELETE' } },
    { type: 'slack', config: { ...config, http_method: 'GET' } },
    { type: 'sourcehut_builds', config },
    ...[
      'ftp://127.0.0.1/',
      'javascript:alert(1)',
      'x',
      'http://',
      'http://ada:pw@127.0.0.1/',
      'http://a b/',
    ].map((url) => ({ type: 'gitea', config: { ...config, url } })),
    // These are denied, whatever answers there.
    ...[
      'http://10.0.0.1/',
      'http://[::ffff:7f00:1]/',
      'http://169.254.169.254/latest',
      'http://0177.0.0.2/',
    ].map((url) => ({ type: 'gitea', config: { ...config, url } })),
    { type: 'gitea', config, events: ['explosion'] },
    { type: 'gitea', config, events: 'push' },
    { type: 'gitea', config, branch_filter: '[a' },
    { type: 'gitea', config, branch_filter: 'a\nb' },
    { type: 'gitea', config, branch_filter: filter },
    { type: 'gitea', config, authorization_header: 'a\r\nX: y' },
    { type: 'gitea', config: { ...config, 'bad name': 'x' } },
    { type: 'gitea', config: { ...config, channel: 'a\nb' } },
    { type: 'gitea', config: { ...config, secret: 'x'.repeat(WEBHOOK_LIMITS.webhookSecretCharsMax + 1) } },
    { type: 'gitea', config, active: 'yes please' },
  ]) {
    const answer = await ada.post(HOOKS, body);
    assert.equal(answer.status, 422, `${JSON.stringify(body).slice(0, 200)}: ${answer.text}`);
    assert.notEqual(answer.body.message, '');
  }
  const { id } = await addHook(ada, URL_OF_NONE);
  for (const body of [{ events: ['x'] }, { config: { url: 'x' } }, { config: { url: 'http://10.0.0.1/' } }])
    assert.equal((await ada.patch(`${HOOKS}/${id}`, body)).status, 422);
  assert.equal((await ada.get(HOOKS)).body.length, 1);
});

test('all types of the facts can be created', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (const type of HOOK_TYPES) {
    const further = type === 'sourcehut_builds' ? { manifest_path: '.build.yml' } : {};
    const { body, status, text } = await ada.post(HOOKS, { type, config: { ...config, ...further } });
    assert.deepEqual([status, body.type], [201, type], text);
  }
});

test('B1: the webhooks of one place are hidden from every other place', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.repository('loom');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const places = [HOOKS, '/api/v1/repos/ada/loom/hooks', '/api/v1/orgs/guild/hooks', '/api/v1/user/hooks'];
  const ids = new Map<string, number>();
  for (const at of places) ids.set(at, (await addHook(ada, URL_OF_NONE, { at })).id);
  ids.set('/api/v1/admin/hooks', (await addHook(forge.root, URL_OF_NONE, { at: '/api/v1/admin/hooks' })).id);
  for (const place of ids.keys()) {
    const who = place.includes('admin') ? forge.root : ada;
    assert.equal((await who.get(place)).body.length, 1);
    for (const [other, id] of ids) {
      const expected = other === place ? 200 : 404;
      for (const path of [`${place}/${id}`, `${place}/${id}/deliveries`])
        assert.equal((await who.get(path)).status, expected, path);
      if (other === place) continue;
      const url = `${place}/${id}`;
      const statuses = [
        await who.patch(url, { active: false }),
        await who.delete(url),
        await who.post(`${url}/deliveries/redeliver?since=2020-01-01T00:00:00Z`),
        await who.post(`${url}/deliveries/1/redeliver`),
        await who.get(`${url}/deliveries/1`),
      ].map(({ status }) => status);
      assert.deepEqual(statuses, [404, 404, 404, 404, 404]);
    }
  }
  assert.equal((await ada.get('/api/v1/admin/hooks')).status, 403);
});

test('B1: a delivery of another webhook of the same repository is missing', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const [one, other] = [
    await addHook(ada, receiver.url),
    await addHook(ada, receiver.url, { active: false }),
  ];
  await ada.post(`${HOOKS}/${one.id}/tests`);
  await delivered(forge);
  const [{ id }] = (await ada.get(`${HOOKS}/${one.id}/deliveries`)).body;
  assert.equal((await ada.get(`${HOOKS}/${one.id}/deliveries/${id}`)).status, 200);
  for (const path of [
    `${other.id}/deliveries/${id}`,
    `${one.id}/deliveries/${id + 1}`,
    `${one.id}/deliveries/x`,
  ])
    assert.equal((await ada.get(`${HOOKS}/${path}`)).status, 404);
  assert.equal((await ada.post(`${HOOKS}/${other.id}/deliveries/${id}/redeliver`)).status, 404);
});

test('webhooks of a user, of an organization and of the site deliver for all of their repositories', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const events = ['repository'];
  await addHook(ada, `${receiver.url}/user`, { at: '/api/v1/user/hooks', events });
  await addHook(ada, `${receiver.url}/guild`, { at: '/api/v1/orgs/guild/hooks', events });
  const site = { at: '/api/v1/admin/hooks', events };
  const system = await addHook(forge.root, `${receiver.url}/site`, {
    ...site,
    config: { is_system_webhook: 'true' },
  });
  assert.equal(system.config.is_system_webhook, 'true');
  await ada.repository('engine');
  await ada.post('/api/v1/orgs/guild/repos', { name: 'loom' });
  await delivered(forge);
  await ada.delete('/api/v1/repos/ada/engine');
  await ada.delete('/api/v1/repos/guild/loom');
  await delivered(forge);
  const seen = (path: string) =>
    receiver.received
      .filter((each) => each.path === `/hook/${path}`)
      .map(({ body }) => `${body.action} ${body.repository.full_name} ${body.organization?.login ?? '-'}`);
  assert.deepEqual(seen('user'), ['created ada/engine -', 'deleted ada/engine -']);
  assert.deepEqual(seen('guild'), ['created guild/loom guild', 'deleted guild/loom guild']);
  assert.deepEqual(seen('site'), [
    'created ada/engine -',
    'created guild/loom guild',
    'deleted ada/engine -',
    'deleted guild/loom guild',
  ]);
});

test('default webhooks are copied to new repositories with their secrets, and deliver nothing themselves', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('old', { auto_init: true });
  await addHook(forge.root, receiver.url, {
    at: '/api/v1/admin/hooks',
    config: { secret: 's' },
    branch_filter: 'main',
  });
  await ada.repository('engine', { auto_init: true });
  assert.deepEqual((await ada.get('/api/v1/repos/ada/old/hooks')).body, []);
  const [copy] = (await ada.get(HOOKS)).body;
  assert.deepEqual([copy.url, copy.branch_filter, copy.active], [receiver.url, 'main', true]);
  for (const repository of ['old', 'engine'])
    await ada.post(`/api/v1/repos/ada/${repository}/contents/a`, { content: '', message: 'Add a' });
  await delivered(forge);
  const pushes = receiver.received.filter(({ event }) => event === 'push');
  assert.deepEqual([...new Set(pushes.map(({ body }) => body.repository.name))], ['engine']);
  assert.ok(pushes.every(({ headers }) => headers['x-gitea-signature'] !== undefined));
  // The copy is the repository's own.
  assert.equal((await ada.delete(`${HOOKS}/${copy.id}`)).status, 204);
  assert.equal((await forge.root.get('/api/v1/admin/hooks')).body.length, 1);
});

test('git hooks are off: administrators get the reason, and callers who do not see the repository do not', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  await ada.repository('engine', { private: true });
  for (const [method, path] of [
    ['GET', `${HOOKS}/git`],
    ['GET', `${HOOKS}/git/pre-receive`],
    ['PATCH', `${HOOKS}/git/pre-receive`],
    ['DELETE', `${HOOKS}/git/pre-receive`],
  ] as const) {
    const options = method === 'PATCH' ? { json: { content: '#!/bin/sh\ntouch /tmp/x' } } : {};
    const answer = await ada.send(method, path, options);
    assert.equal(answer.status, 404);
    assert.match(answer.text, /git hooks are off/);
    const hidden = await eve.send(method, path, options);
    assert.equal(hidden.status, 404);
    assert.doesNotMatch(hidden.text, /git hooks/);
  }
});

test('a place has a bounded number of webhooks', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { id } = await addHook(ada, URL_OF_NONE);
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    const { id: _, ...row } = await tx
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: WEBHOOK_LIMITS.webhooksPerOwnerMax - 1 }, () => row);
    for (let at = 0; at < rows.length; at += 500)
      await tx
        .insertInto('webhooks')
        .values(rows.slice(at, at + 500))
        .execute();
  });
  const answer = await ada.post(HOOKS, { type: 'gitea', config });
  assert.equal(answer.status, 422);
  assert.match(answer.body.message, /at most 1000 webhooks/);
});

test('a change of the address to another site forgets the authorization header', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const [first, second] = [await startReceiver(t), await startReceiver(t)];
  const { id } = await addHook(ada, first.url, { authorization_header: 'Bearer hidden' });
  const tested = async (url: string, authorization?: string) => {
    const edit = { config: { url }, ...(authorization && { authorization_header: authorization }) };
    assert.equal((await ada.patch(`${HOOKS}/${id}`, edit)).status, 200);
    assert.equal((await ada.post(`${HOOKS}/${id}/tests`)).status, 204);
    await delivered(forge);
  };
  await tested(`${first.url}/same`);
  await tested(second.url);
  await tested(first.url, 'Bearer new');
  assert.deepEqual(
    [...first.received, ...second.received].map(({ headers }) => headers.authorization),
    ['Bearer hidden', 'Bearer new', undefined],
  );
});

test('a token for public data only can neither create nor change a webhook', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { id } = await addHook(ada, URL_OF_NONE);
  const token = await ada.tokenFor(['public-only', 'write:repository', 'write:user']);
  for (const at of [HOOKS, '/api/v1/user/hooks'])
    assert.equal(
      (await forge.send('POST', at, { as: { token }, json: { type: 'gitea', config } })).status,
      403,
      at,
    );
  const changed = await forge.send('PATCH', `${HOOKS}/${id}`, { as: { token }, json: { active: true } });
  assert.equal(changed.status, 403);
});

test('payloads do not show the private address of the person who made the webhook', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.patch('/api/v1/user/settings', { hide_email: true });
  await ada.repository('engine', { auto_init: true });
  const receiver = await startReceiver(t);
  await addHook(ada, receiver.url, { events: ['issues', 'push', 'release'] });
  await ada.post('/api/v1/repos/ada/engine/issues', { title: 'It rattles' });
  await ada.post('/api/v1/repos/ada/engine/releases', { tag_name: 'v1' });
  await delivered(forge);
  const texts = receiver.received.filter(({ event }) => event !== 'push').map(({ text }) => text);
  assert.equal(texts.length, 2);
  for (const text of texts) assert.doesNotMatch(text, /ada@example\.org|last_login":"2/);
});

test('an authorization header has ASCII characters only', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (const header of ['Bearer 日', 'Bearer \u0007', 'Bearer \u00e9'])
    assert.equal(
      (await ada.post(HOOKS, { type: 'gitea', config, authorization_header: header })).status,
      422,
    );
});

test('a token makes only webhooks for what it may read', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const token = await ada.tokenFor(['write:repository']);
  const add = (events: readonly string[]) =>
    forge.send('POST', HOOKS, { as: { token }, json: { type: 'gitea', config, events } });
  for (const events of [['issues'], ['push', 'pull_request_comment'], ['*']]) {
    const { status, text } = await add(events);
    assert.ok(status === 403 || status === 422, text);
  }
  const added = await add(['push', 'release']);
  assert.equal(added.status, 201, added.text);
  const edit = { as: { token }, json: { events: ['issue_comment'] } };
  assert.equal((await forge.send('PATCH', `${HOOKS}/${added.body.id}`, edit)).status, 403);
});
