import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isSignedIn } from '../../../src/api/access/viewer.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { NotesApp } from '../../support/forge/notes.ts';
import { meantStatus } from '../../support/forge/ocs.ts';
import { codeOf, withCodes } from '../../support/forge/second-factor.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function ada(t: TestContext) {
  const forge = await startForge(t);
  return { forge, person: await forge.account('ada') };
}

/** Starts a request as a client does, and returns the paths of its page and its poll token. */
async function start(forge: TestForge, root = '/index.php/login/v2') {
  const { status, body } = await forge.send('POST', root, { headers: { 'user-agent': 'Notes on a phone' } });
  assert.equal(status, 200);
  assert.equal(body.poll.endpoint, `${forge.url}/login/v2/poll`);
  return { page: new URL(body.login).pathname, token: body.poll.token as string };
}

function poll(forge: TestForge, token: string) {
  return forge.send('POST', '/login/v2/poll', {
    body: new URLSearchParams({ token }).toString(),
    headers: FORM,
  });
}

/** Signs a browser of a person in. */
async function browserOf(forge: TestForge, person: { name: string; password: string }): Promise<PageReader> {
  const reader = new PageReader(forge);
  await reader.signIn(person);
  return reader;
}

/** Starts a request and grants it. Returns its poll token. */
async function startGranted(forge: TestForge, person: { name: string; password: string }): Promise<string> {
  const { page, token } = await start(forge);
  const reader = await browserOf(forge, person);
  assert.equal((await reader.post(page, {})).status, 200);
  return token;
}

test('a client receives an app password once, after its user has granted it on the page', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge);
  const before = await poll(forge, token);
  assert.deepEqual([before.status, before.body], [404, []]);

  const reader = new PageReader(forge);
  const first = await reader.get(page);
  assert.deepEqual(
    [first.status, first.headers.get('location')],
    [303, `/user/login?redirect_to=${encodeURIComponent(page)}`],
  );
  await reader.signIn(person);
  const shown = await reader.get(page);
  assert.equal(shown.status, 200);
  assert.match(shown.text, /<strong>Notes on a phone<\/strong>/);
  assert.match(shown.text, /<button class="primary">Connect as ada<\/button>/);
  assert.match(
    shown.headers.get('content-security-policy') ?? '',
    /form-action 'self'; frame-ancestors 'none'/,
  );
  assert.match(shown.text, /name="viewport"/);
  const done = await reader.post(page, { device: 'My phone' });
  assert.equal(done.status, 200, done.text);

  const granted = await poll(forge, token);
  assert.equal(granted.status, 200);
  const { server, loginName, appPassword } = granted.body;
  assert.deepEqual([server, loginName], [forge.url, 'ada']);
  assert.equal((await poll(forge, token)).status, 404);
  assert.equal((await reader.get(page)).status, 404);

  const app = new NotesApp(forge, person, appPassword);
  assert.equal((await app.create({ title: 'n', content: 'x' })).title, 'n');
  const tokens = await forge.send('GET', '/api/v1/users/ada/tokens', {
    as: { name: 'ada', password: person.password },
  });
  assert.ok(tokens.body.some(({ name }: { name: string }) => name === 'My phone'));
});

test('a user may grant a client only notes', async (t) => {
  const { forge, person } = await ada(t);
  await person.repository('engine', { auto_init: true });
  const { page, token } = await start(forge);
  const reader = await browserOf(forge, person);
  assert.match((await reader.get(page)).text, /name="access" value="notes" checked/);
  await reader.post(page, { device: 'Phone', access: 'notes' });
  const { appPassword } = (await poll(forge, token)).body;
  const as = { name: 'ada', password: appPassword };

  const app = new NotesApp(forge, person, appPassword);
  assert.equal((await app.create({ title: 'n' })).title, 'n');
  const headers = { 'ocs-apirequest': 'true' };
  const user = await forge.send('GET', '/ocs/v2.php/cloud/user?format=json', { as, headers });
  assert.equal(user.body.ocs.data.id, 'ada');
  for (const path of [
    '/api/v1/repos/ada/engine',
    '/ada/engine.git/info/refs?service=git-upload-pack',
    '/ada/engine',
  ])
    assert.equal((await forge.send('GET', path, { as })).status, 403, path);

  await t.test('and sees and ends the app password among the tokens, by its name', async () => {
    const own = { name: 'ada', password: person.password };
    const listed = await forge.send('GET', '/api/v1/users/ada/tokens', { as: own });
    const [phone] = listed.body.filter(({ name }: { name: string }) => name === 'Phone');
    assert.deepEqual(phone.scopes.toSorted(), ['notes-only', 'read:user', 'write:repository']);
    assert.equal((await forge.send('DELETE', '/api/v1/users/ada/tokens/Phone', { as: own })).status, 204);
    assert.equal((await app.send('GET')).status, 401);
  });
});

test('without /index.php, the page of a client works as well', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge, '/login/v2');
  await (await browserOf(forge, person)).post(`/index.php${page}`, { device: '' });
  assert.equal((await poll(forge, token)).body.loginName, 'ada');
});

test('only the user grants a request, in a browser that has signed in', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge);
  const stranger = await new PageReader(forge).post(page, { device: 'x' });
  assert.match(stranger.headers.get('location') ?? '', /^\/user\/login\?/);
  // An app password must not make others.
  for (const method of ['GET', 'POST']) {
    const byToken = await forge.send(method, page, { as: { name: 'ada', password: person.token } });
    assert.equal(byToken.status, 403);
    assert.match(byToken.text, /^(?:sign in with your own password|a token cannot change credentials)/);
  }
  assert.equal((await poll(forge, token)).status, 404);
});

test('a user with a second factor connects a client with a code', async (t) => {
  const { forge, person } = await ada(t);
  const { secret } = await withCodes(forge, person);
  const { page, token } = await start(forge);
  const reader = new PageReader(forge);
  const typed = { user_name: 'ada', password: person.password, redirect_to: page };
  const pending = fieldIn((await reader.post('/user/login', typed)).text, 'pending');
  assert.equal((await reader.post(page, {})).status, 303);
  assert.equal((await poll(forge, token)).status, 404, 'a pending sign-in grants nothing');

  const code = { pending, code: codeOf(secret), redirect_to: page };
  assert.equal((await reader.post('/user/two_factor', code)).headers.get('location'), page);
  assert.equal((await reader.post(page, {})).status, 200);

  const { appPassword } = (await poll(forge, token)).body;
  assert.deepEqual(await new NotesApp(forge, person, appPassword).list(), []);
});

test('a grant needs a recent proof of the user', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge);
  const reader = await browserOf(forge, person);
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('sessions').set({ proved_at: 0 }).execute(),
  );

  const location = (await reader.post(page, {})).headers.get('location') ?? '';
  assert.equal(location, `/user/confirm?redirect_to=${encodeURIComponent(page)}`);
  assert.equal((await poll(forge, token)).status, 404);
  await reader.post('/user/confirm', { password: person.password });
  assert.equal((await reader.post(page, {})).status, 200);
  assert.equal((await poll(forge, token)).status, 200);
});

test('F3: a form on a page of another site grants nothing', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge);
  const reader = await browserOf(forge, person);
  await reader.get('/login/flow', { headers: { 'ocs-apirequest': 'true' } });
  const foreign = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
    { 'sec-fetch-site': undefined, origin: 'null' },
    { 'sec-fetch-site': undefined },
  ];
  for (const { 'sec-fetch-site': site, ...others } of foreign) {
    const headers = { ...FORM, ...others, ...(site === undefined ? {} : { 'sec-fetch-site': site }) };
    for (const path of [page, '/login/flow'])
      assert.equal((await reader.send('POST', path, { headers, body: 'device=x' })).status, 403, path);
  }
  assert.equal((await poll(forge, token)).status, 404);
});

test('F7: a form from another address than the base URL grants nothing, and names that address', async (t) => {
  const forge = await startForge(t, { settings: { allowedHosts: 'evil.example' } });
  const person = await forge.account('ada');
  const { page, token } = await start(forge, '/login/v2');
  const { port } = new URL(forge.url);
  const reader = await browserOf(forge, person);
  for (const name of ['localhost', 'evil.example']) {
    const host = `${name}:${port}`;
    // Without TLS, browsers send Sec-Fetch-Site only to the machine that they run on.
    const headers = { ...FORM, host, origin: `http://${host}` };
    for (const path of [page, '/login/flow']) {
      const answer = await reader.send('POST', path, { headers, body: 'device=x' });
      assert.equal(answer.status, 403);
      assert.ok(answer.text.includes(forge.url), answer.text);
    }
  }
  assert.equal((await poll(forge, token)).status, 404);
});

test('F3: no page of another site makes a browser turn a remembered password into an app password', async (t) => {
  const { forge, person } = await ada(t);
  const as = { name: 'ada', password: person.password };
  const tokens = async () => (await forge.get('/api/v1/users/ada/tokens', { as })).body.length;
  const before = await tokens();
  for (const version of ['v1.php', 'v2.php'])
    for (const method of ['GET', 'HEAD'])
      for (const foreign of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ]) {
        const path = `/ocs/${version}/core/getapppassword`;
        const headers = { ...foreign, 'ocs-apirequest': 'true' };
        const answer = await forge.send(method, path, { as, headers } as never);
        if (method === 'GET') assert.equal(meantStatus(path, answer), 403, JSON.stringify(foreign));
      }
  assert.equal(await tokens(), before);
  for (const own of [
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { origin: forge.url },
  ]) {
    const headers = { ...own, 'ocs-apirequest': 'true' };
    assert.equal((await forge.get('/ocs/v2.php/core/getapppassword', { as, headers })).status, 200);
  }
});

test('devices of one name that sign in at the same time all get an app password', async (t) => {
  const { forge, person } = await ada(t);
  const as = { name: 'ada', password: person.password };
  const headers = { 'ocs-apirequest': 'true' };
  t.mock.method(Date.prototype, 'toISOString', () => '2026-01-01T00:00:00.000Z');
  for (let count = 0; count < 4; count += 1)
    assert.equal((await forge.get('/ocs/v2.php/core/getapppassword', { as, headers })).status, 200);
});

test('a request to sign in ends after 20 minutes, granted or not', async (t) => {
  const { forge, person } = await ada(t);
  const [open, granted] = [await start(forge), await start(forge)];
  await (await browserOf(forge, person)).post(granted.page, {});
  const before = Date.now() - 20 * 60_000 - 1;
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('sign_in_requests').set({ created_at: before }).execute(),
  );
  assert.equal((await forge.get(open.page)).status, 404);
  assert.equal((await poll(forge, granted.token)).status, 404);
});

test('A11: a new password ends the requests that were granted with the old one', async (t) => {
  const { forge, person } = await ada(t);
  const bob = await forge.account('bob');
  const own = await startGranted(forge, person);
  const changed = { current_password: person.password, new_password: 'a different secret' };
  assert.equal((await person.put('/api/v1/user/password', changed)).status, 204);
  assert.equal((await poll(forge, own)).status, 404);

  const reset = await startGranted(forge, { name: 'ada', password: 'a different secret' });
  const others = await startGranted(forge, bob);
  const edit = { login_name: 'ada', source_id: 0, password: 'set by an administrator' };
  assert.equal((await forge.root.patch('/api/v1/admin/users/ada', edit)).status, 200);
  assert.equal((await poll(forge, reset)).status, 404);
  assert.equal((await poll(forge, others)).status, 200);
});

for (const [what, disabled, enabled] of [
  ['inactive', { active: false }, { active: true }],
  ['prohibited to sign in', { prohibit_login: true }, { prohibit_login: false }],
] as const)
  test(`A11: what a user granted ends when the account is ${what}, and does not return with it`, async (t) => {
    const { forge, person } = await ada(t);
    const bob = await forge.account('bob');
    const change = (edit: object) =>
      forge.root.patch('/api/v1/admin/users/ada', { login_name: 'ada', source_id: 0, ...edit });
    const own = await startGranted(forge, person);
    const others = await startGranted(forge, bob);
    const open = await start(forge);
    const reader = await browserOf(forge, person);

    assert.equal((await change(disabled)).status, 200);
    assert.equal((await poll(forge, own)).status, 404);
    assert.match((await reader.post(open.page, {})).headers.get('location') ?? '', /^\/user\/login\?/);
    assert.equal((await change(enabled)).status, 200);

    assert.equal((await poll(forge, own)).status, 404);
    assert.equal((await poll(forge, open.token)).status, 404);
    assert.equal((await poll(forge, others)).status, 200);
    await reader.signIn(person);
    assert.equal((await reader.post(open.page, {})).status, 200);
    assert.equal((await poll(forge, open.token)).status, 200);
  });

test('A11: what a user granted ends with the account, and not with its name', async (t) => {
  const { forge, person } = await ada(t);
  const bob = await forge.account('bob');
  const own = await startGranted(forge, person);
  const others = await startGranted(forge, bob);

  await forge.root.post('/api/v1/admin/users/ada/rename', { new_username: 'lovelace' });
  assert.equal((await forge.root.delete('/api/v1/admin/users/bob')).status, 204);

  assert.equal((await poll(forge, own)).body.loginName, 'lovelace');
  assert.equal((await poll(forge, others)).status, 404);
});

test('A11: a request that came before its account was disabled makes no token after that', async (t) => {
  const { forge, person } = await ada(t);
  const { authentication, deviceSignIn, tokens, accounts } = forge.forge.running.services;
  const credentials = { kind: 'basic', login: 'ada', password: person.password } as const;
  const viewer = await authentication.authenticate({
    credentials,
    address: '127.0.0.1',
    changesPassword: false,
  });
  assert.ok(isSignedIn(viewer));
  const { page, token } = await start(forge);
  assert.equal((await (await browserOf(forge, person)).post(page, {})).status, 200);
  const listed = async () =>
    (await forge.root.get('/api/v1/users/ada/tokens')).body.map(({ name }: { name: string }) => name);
  const before = await listed();

  await accounts.editUser('operator', 'ada', { isActive: false });
  await accounts.editUser('operator', 'ada', { isActive: true });

  const gone = { name: 'ForgeError', message: 'the account has changed: sign in again' };
  await assert.rejects(deviceSignIn.convert(viewer, 'Phone'), gone);
  await assert.rejects(tokens.create(viewer, 'ada', { name: 'late', scopes: ['all'] }), gone);
  assert.equal((await poll(forge, token)).status, 404);
  assert.deepEqual(await listed(), before);
});

test('A11: no grant at the moment in which its account is disabled outlives that', async (t) => {
  const { forge, person } = await ada(t);
  const change = (active: boolean) =>
    forge.root.patch('/api/v1/admin/users/ada', { login_name: 'ada', source_id: 0, active });
  for (let round = 0; round < 5; round += 1) {
    const { page, token } = await start(forge);
    const reader = await browserOf(forge, person);
    await Promise.all([reader.post(page, {}), change(false)]);
    assert.equal((await change(true)).status, 200);
    assert.equal((await poll(forge, token)).status, 404);
  }
});

test('of concurrent polls, one receives the app password', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge);
  await (await browserOf(forge, person)).post(page, {});
  const answers = await Promise.all(Array.from({ length: 5 }, () => poll(forge, token)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404, 404, 404]);
});

test('an unknown or malformed token is no request', async (t) => {
  const { forge, person } = await ada(t);
  assert.equal((await forge.get('/login/v2/flow/unknown')).status, 404);
  const reader = await browserOf(forge, person);
  assert.equal((await reader.post('/login/v2/flow/unknown', {})).status, 404);
  for (const body of ['', 'token=', 'token=x&token=y', '{}'])
    assert.equal((await forge.send('POST', '/login/v2/poll', { body, headers: FORM })).status, 404);
  const json = await forge.send('POST', '/login/v2/poll', { json: { token: 'x' } });
  assert.deepEqual([json.status, json.body], [404, []]);
});

test('one network starts only so many requests in a time', async (t) => {
  const { forge } = await ada(t);
  const statuses = new Set<number>();
  for (let index = 0; index < 70; index += 1) statuses.add((await forge.send('POST', '/login/v2')).status);
  assert.deepEqual([...statuses], [200, 503]);
});

test('the older flow leads to an address for the client, only from a client', async (t) => {
  const { forge, person } = await ada(t);
  const path = '/index.php/login/flow';
  const reader = new PageReader(forge);
  await reader.signIn(person);
  assert.equal((await reader.get(path)).status, 403);
  assert.equal((await reader.post(path, { device: 'iPhone' })).status, 403);
  const client = new PageReader(forge);
  const first = await client.get(path, { headers: { 'ocs-apirequest': 'true' } });
  assert.equal(first.headers.get('location'), `/user/login?redirect_to=${encodeURIComponent(path)}`);
  await client.signIn(person);
  const page = await client.get(path);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self' nc:;/);
  const answer = await client.post(path, { device: 'iPhone' });
  assert.equal(answer.status, 303);
  const location = answer.headers.get('location') ?? '';
  const [, server = '', user = '', password = ''] =
    /^nc:\/\/login\/server:([^&]*)&user:([^&]*)&password:(.*)$/.exec(location) ?? [];
  assert.deepEqual([decodeURIComponent(server), user], [forge.url, 'ada']);
  assert.deepEqual(await new NotesApp(forge, person, password).list(), []);
});

test('a client turns the password of its user into an app password, and ends it', async (t) => {
  const { forge, person } = await ada(t);
  const headers = { 'ocs-apirequest': 'true' };
  const path = '/ocs/v2.php/core/getapppassword?format=json';
  const own = { name: 'ada', password: person.password };
  assert.equal((await forge.send('GET', path, { as: own })).status, 412);
  const made = await forge.send('GET', path, { as: own, headers });
  assert.equal(made.status, 200);
  const app = { name: 'ada', password: made.body.ocs.data.apppassword as string };
  assert.equal((await forge.send('GET', path, { as: app, headers })).status, 403);

  const revoke = '/ocs/v2.php/core/apppassword?format=json';
  assert.equal((await forge.send('DELETE', revoke, { as: own, headers })).status, 403);
  assert.equal((await forge.send('DELETE', revoke, { as: app, headers })).status, 200);
  assert.equal((await forge.send('GET', path, { as: app, headers })).status, 401);
});
