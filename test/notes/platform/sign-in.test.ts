import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isSignedIn } from '../../../src/api/access/viewer.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { NotesApp } from '../../support/forge/notes.ts';
import { meantStatus } from '../../support/forge/ocs.ts';

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

function fill(forge: TestForge, page: string, fields: Record<string, string>, headers = {}) {
  const body = new URLSearchParams(fields).toString();
  return forge.send('POST', page, { body, headers: { ...FORM, ...headers }, redirect: 'manual' } as never);
}

/** Starts a request and grants it. Returns its poll token. */
async function startGranted(forge: TestForge, user: string, password: string): Promise<string> {
  const { page, token } = await start(forge);
  assert.equal((await fill(forge, page, { user, password })).status, 200);
  return token;
}

test('a client receives an app password once, after its user has granted it on the page', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge);
  const before = await poll(forge, token);
  assert.deepEqual([before.status, before.body], [404, []]);

  const shown = await forge.get(page);
  assert.equal(shown.status, 200);
  assert.match(shown.text, /<strong>Notes on a phone<\/strong>/);
  assert.match(
    shown.headers.get('content-security-policy') ?? '',
    /form-action 'self'; frame-ancestors 'none'/,
  );
  assert.match(shown.text, /name="viewport"/);
  const done = await fill(forge, page, { user: 'ada', password: person.password, device: 'My phone' });
  assert.equal(done.status, 200, done.text);

  const granted = await poll(forge, token);
  assert.equal(granted.status, 200);
  const { server, loginName, appPassword } = granted.body;
  assert.deepEqual([server, loginName], [forge.url, 'ada']);
  assert.equal((await poll(forge, token)).status, 404);
  assert.equal((await forge.get(page)).status, 404);

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
  assert.match((await forge.get(page)).text, /name="access" value="notes" checked/);
  const fields = { user: 'ada', password: person.password, device: 'Phone', access: 'notes' };
  const wrong = await fill(forge, page, { ...fields, password: 'wrong', access: '' });
  assert.match(wrong.text, /name="access" value="notes">/);
  await fill(forge, page, fields);
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
  await fill(forge, `/index.php${page}`, { user: 'ada', password: person.password, device: '' });
  assert.equal((await poll(forge, token)).body.loginName, 'ada');
});

test('a wrong password shows the form again, and grants nothing', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge);
  const wrong = await fill(forge, page, { user: '"><script>', password: 'wrong', device: 'x' });
  assert.equal(wrong.status, 403);
  assert.match(wrong.text, /The name or the password is wrong/);
  assert.ok(!wrong.text.includes('<script>'));
  assert.equal((await poll(forge, token)).status, 404);
  // An app password must not make others.
  const byToken = await fill(forge, page, { user: 'ada', password: person.token, device: 'x' });
  assert.equal(byToken.status, 403);
  assert.match(byToken.text, /sign in with your own password/);
  assert.equal((await poll(forge, token)).status, 404);
});

test('F3: a form on a page of another site grants nothing', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge);
  const fields = { user: 'ada', password: person.password, device: 'x' };
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
    assert.equal((await fill(forge, page, fields, headers)).status, 403);
    assert.equal((await fill(forge, '/login/flow', fields, headers)).status, 403);
  }
  assert.equal((await poll(forge, token)).status, 404);
});

test('F7: a form from another address than the base URL grants nothing, and leads to the page there', async (t) => {
  const forge = await startForge(t, { settings: { allowedHosts: 'evil.example' } });
  const person = await forge.account('ada');
  const { page, token } = await start(forge, '/login/v2');
  const fields = { user: 'ada', password: person.password };
  const { port } = new URL(forge.url);
  for (const name of ['localhost', 'evil.example']) {
    const host = `${name}:${port}`;
    // Without TLS, browsers send Sec-Fetch-Site only to the machine that they run on.
    const answer = await fill(forge, page, fields, { host, origin: `http://${host}` });
    assert.equal(answer.status, 403);
    assert.ok(answer.text.includes(`<a href="${forge.url}${page}">`), answer.text);
    const older = await fill(forge, '/login/flow', fields, { host, origin: `http://${host}` });
    assert.equal(older.status, 403);
    assert.ok(older.text.includes(`with the server ${forge.url}\n`), older.text);
  }
  assert.equal((await poll(forge, token)).status, 404);

  await t.test('but a browser on this machine may use each of its names', async () => {
    const host = `localhost:${port}`;
    const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    assert.equal((await fill(forge, page, fields, headers)).status, 200);
    assert.equal((await poll(forge, token)).status, 200);
  });
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
  await fill(forge, granted.page, { user: 'ada', password: person.password, device: '' });
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
  const own = await startGranted(forge, 'ada', person.password);
  const changed = { current_password: person.password, new_password: 'a different secret' };
  assert.equal((await person.put('/api/v1/user/password', changed)).status, 204);
  assert.equal((await poll(forge, own)).status, 404);

  const reset = await startGranted(forge, 'ada', 'a different secret');
  const others = await startGranted(forge, 'bob', bob.password);
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
    const own = await startGranted(forge, 'ada', person.password);
    const others = await startGranted(forge, 'bob', bob.password);
    const open = await start(forge);

    assert.equal((await change(disabled)).status, 200);
    assert.equal((await poll(forge, own)).status, 404);
    const form = await fill(forge, open.page, { user: 'ada', password: person.password });
    assert.deepEqual([form.status, /the account is disabled/.test(form.text)], [403, true]);
    assert.equal((await change(enabled)).status, 200);

    assert.equal((await poll(forge, own)).status, 404);
    assert.equal((await poll(forge, open.token)).status, 404);
    assert.equal((await poll(forge, others)).status, 200);
    const made = await fill(forge, open.page, { user: 'ada', password: person.password });
    assert.equal(made.status, 200);
    assert.equal((await poll(forge, open.token)).status, 200);
  });

test('A11: what a user granted ends with the account, and not with its name', async (t) => {
  const { forge, person } = await ada(t);
  const bob = await forge.account('bob');
  const own = await startGranted(forge, 'ada', person.password);
  const others = await startGranted(forge, 'bob', bob.password);

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
  assert.equal((await fill(forge, page, { user: 'ada', password: person.password })).status, 200);
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
    await Promise.all([fill(forge, page, { user: 'ada', password: person.password }), change(false)]);
    assert.equal((await change(true)).status, 200);
    assert.equal((await poll(forge, token)).status, 404);
  }
});

test('of concurrent polls, one receives the app password', async (t) => {
  const { forge, person } = await ada(t);
  const { page, token } = await start(forge);
  await fill(forge, page, { user: 'ada', password: person.password });
  const answers = await Promise.all(Array.from({ length: 5 }, () => poll(forge, token)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404, 404, 404]);
});

test('an unknown or malformed token is no request', async (t) => {
  const { forge } = await ada(t);
  assert.equal((await forge.get('/login/v2/flow/unknown')).status, 404);
  assert.equal((await fill(forge, '/login/v2/flow/unknown', { user: 'a', password: 'b' })).status, 404);
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
  assert.equal((await forge.get('/index.php/login/flow')).status, 403);
  const page = await forge.get('/index.php/login/flow', { headers: { 'ocs-apirequest': 'true' } });
  assert.equal(page.status, 200);
  const answer = await fill(forge, '/index.php/login/flow', {
    user: 'ada',
    password: person.password,
    device: 'iPhone',
  });
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
