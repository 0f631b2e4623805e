import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { answerOf, createClient, exchange, requestPath } from '../../support/http/oauth.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';

const HEADER = 'X-WEBAUTH-USER';
const LFS = 'application/vnd.git-lfs+json';
const OWN_SITE = { 'sec-fetch-site': 'same-origin' };

/** @param proxies from which the header counts; the tests themselves connect from 127.0.0.1 */
function start(
  t: TestContext,
  settings: Record<string, string> = {},
  proxies = '127.0.0.1',
): Promise<TestForge> {
  return startForge(t, { settings: { proxyUserHeader: HEADER, trustedProxies: proxies, ...settings } });
}

const as = (name: string, headers: Record<string, string> = {}) => ({
  headers: { [HEADER]: name, ...headers },
});

/** Sends a GET with headers as they are, in which a name may occur twice. */
async function sendRaw(
  forge: TestForge,
  path: string,
  headers: readonly string[],
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const { host } = new URL(forge.url);
  request(`${forge.url}${path}`, { headers: ['host', host, ...headers] }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode ?? 0, text: body }), reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

test('A12: a trusted proxy names the user of pages and of the API', async (t) => {
  const forge = await start(t);
  const ada = await forge.account('ada');
  await ada.repository('diary', { private: true });

  assert.equal((await forge.get('/api/v1/user', as('ada'))).body.login, 'ada');
  assert.equal((await forge.get('/ada/diary', as('ADA'))).status, 200);
  assert.equal((await forge.get('/ada/diary')).status, 404);
  const login = await forge.get('/user/login', as('ada'));
  assert.equal(login.status, 303);
});

test('A12: the header is ignored from any other peer, whatever it says about itself', async (t) => {
  const forge = await start(t, {}, '10.0.0.0/8');
  await forge.account('ada');
  const claims = [
    {},
    { 'x-forwarded-for': '10.0.0.1' },
    { forwarded: 'for=10.0.0.1' },
    { 'x-real-ip': '10.0.0.1' },
  ];
  for (const headers of claims)
    assert.equal((await forge.get('/api/v1/user', as('ada', headers as Record<string, string>))).status, 401);
});

test('A12: without the setting, no header names a user', async (t) => {
  const forge = await startForge(t, { settings: { trustedProxies: '127.0.0.1' } });
  await forge.account('ada');
  for (const name of [HEADER, 'X-Remote-User', 'REMOTE_USER', 'X-Forwarded-User'])
    assert.equal((await forge.get('/api/v1/user', { headers: { [name]: 'ada' } })).status, 401);
});

test('A12: git, LFS and notes take no user from the proxy', async (t) => {
  const forge = await start(t);
  const ada = await forge.account('ada');
  await ada.repository('diary', { private: true });
  for (const path of [
    '/ada/diary.git/info/refs?service=git-upload-pack',
    '/ada/diary.git/info/lfs/locks',
    '/index.php/apps/notes/api/v1/notes',
  ])
    assert.equal((await forge.get(path, as('ada', { accept: LFS }))).status, 401, path);
});

test('A12: a header that was sent twice is refused', async (t) => {
  const forge = await start(t);
  await forge.account('ada');
  for (const [one, two] of [
    ['ada', 'root'],
    ['ada', 'ada'],
    ['', 'root'],
  ] as const) {
    const answer = await sendRaw(forge, '/api/v1/user', [HEADER, one, HEADER.toLowerCase(), two]);
    assert.equal(answer.status, 400);
    assert.match(answer.text, /was sent twice/);
  }
  assert.equal((await sendRaw(forge, '/api/v1/user', [HEADER, 'ada, root'])).status, 403);
  // Some servers take this for the same header.
  const underscored = await sendRaw(forge, '/api/v1/user', ['X_WEBAUTH_USER', 'root']);
  assert.equal(underscored.status, 401);
});

test('A12: only a whole name finds an account', async (t) => {
  const forge = await start(t);
  await forge.account('ada');
  await forge.root.post('/api/v1/orgs', { username: 'guild' });
  await forge.account('old');
  await forge.root.post('/api/v1/admin/users/old/rename', { new_username: 'new' });
  for (const name of [
    'ada eve',
    'ada@example.org',
    'eve',
    'guild',
    'old',
    'ada\u00a0',
    '%61da',
    'ada/',
    'x'.repeat(500),
  ]) {
    const answer = await forge.get('/api/v1/user', as(name));
    assert.equal(answer.status, 403, name);
    assert.equal((await forge.get('/user/login', as(name))).status, 403, name);
  }
});

test('A12: a request with the header needs the word of the browser, as one with a cookie', async (t) => {
  const forge = await start(t);
  const ada = await forge.account('ada');
  const create = (headers: Record<string, string>) =>
    forge.send('POST', '/api/v1/user/repos', { ...as('ada', headers), json: { name: 'engine' } });

  assert.equal((await create({})).status, 403);
  assert.equal((await create({ 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.equal((await create({ origin: 'https://evil.example' })).status, 403);
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' };
  const logout = await forge.send('POST', '/user/settings/sessions', { ...as('ada', form), body: 'id=' });
  assert.equal(logout.status, 403);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404);

  assert.equal((await create(OWN_SITE)).status, 201);
});

test('A12: a user of the proxy lets an application act, and the proxy is the proof', async (t) => {
  const forge = await start(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  const path = requestPath(client, { scope: 'openid write:repository', max_age: '0' });
  const headers = { [HEADER]: 'ada', accept: 'text/html' };

  const page = await reader.get(path, { headers });
  assert.equal(page.status, 200, page.headers.get('location') ?? '');
  const form = { 'content-type': 'application/x-www-form-urlencoded', accept: '*/*', [HEADER]: 'ada' };
  const decideWith = (token: string, more: Record<string, string> = {}) =>
    reader.send('POST', path, {
      headers: { ...form, ...more },
      body: new URLSearchParams({ decision: 'allow', form_token: token }).toString(),
    });
  assert.equal((await decideWith('')).status, 403);
  const token = fieldIn(page.text, 'form_token');
  assert.equal((await decideWith(token, { 'sec-fetch-site': 'cross-site' })).status, 403);
  const decided = await decideWith(token);
  assert.equal(decided.status, 303, decided.text);
  const { code = '' } = answerOf(decided);
  const { status, body } = await exchange(forge, client, code);
  assert.equal(status, 200);
  const [, claims = ''] = body.id_token.split('.');
  const { auth_time: at } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  assert.ok(Math.abs(at - Date.now() / 1000) < 60);
});

test('A12: a disabled account stays out, and so does one that must change its password', async (t) => {
  const forge = await start(t);
  await forge.account('ada');
  for (const change of [{ active: false }, { active: true, must_change_password: true }]) {
    await forge.root.patch('/api/v1/admin/users/ada', change);
    assert.equal((await forge.get('/api/v1/user', as('ada'))).status, 403);
  }
});

test('what the proxy says comes before a cookie, and a token before both', async (t) => {
  const forge = await start(t);
  const [ada, eve] = [await forge.account('ada'), await forge.account('eve')];
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  assert.equal((await reader.get('/api/v1/user', as('eve'))).body.login, 'eve');
  assert.equal((await reader.get('/api/v1/user')).body.login, 'ada');
  assert.equal((await eve.get('/api/v1/user', as('ada'))).body.login, 'eve');
});

test('where the operator wants it, a user of the proxy gets an account once', async (t) => {
  const forge = await start(t, {
    proxyAutoCreate: 'true',
    proxyEmailHeader: 'X-WEBAUTH-EMAIL',
    proxyNameHeader: 'X-WEBAUTH-FULLNAME',
  });
  await forge.account('eve');
  const headers = (email: string, name: string) => ({
    'X-WEBAUTH-EMAIL': email,
    'X-WEBAUTH-FULLNAME': Buffer.from(name).toString('latin1'),
  });
  const ask = (name: string, more: Record<string, string> = {}) => forge.get('/api/v1/user', as(name, more));

  const several = await Promise.all(
    Array.from({ length: 4 }, () => ask('zoe', headers('zoe@corp.example', 'Zoë Ünal'))),
  );
  for (const { status, body } of several)
    assert.deepEqual(
      [status, body.login, body.email, body.full_name],
      [200, 'zoe', 'zoe@corp.example', 'Zoë Ünal'],
    );
  const taken = await ask('max', headers('EVE@example.org', ''));
  assert.notEqual(taken.body.email.toLowerCase(), 'eve@example.org');
  assert.equal((await ask('liz', headers('not an address', 'a\u202eb'))).body.login, 'liz');
  for (const name of ['admin', 'a b', '-x', 'x'.repeat(41), 'a@corp.example'])
    assert.equal((await ask(name)).status, 403, name);
});

test('a header of a proxy needs trusted proxies, and its settings must fit', async (t) => {
  const wrong: readonly [Record<string, string>, RegExp][] = [
    [{ proxyUserHeader: HEADER }, /needs --trusted-proxies/],
    [{ proxyUserHeader: 'a header', trustedProxies: '127.0.0.1' }, /must be the name of a header/],
    [{ proxyUserHeader: 'Cookie', trustedProxies: '127.0.0.1' }, /must be the name of a header/],
    [{ proxyAutoCreate: 'true' }, /need --proxy-user-header/],
    [{ proxyEmailHeader: 'X-E' }, /need --proxy-user-header/],
    [{ proxyUserHeader: HEADER, proxyEmailHeader: HEADER, trustedProxies: '127.0.0.1' }, /different names/],
  ];
  for (const [settings, expected] of wrong) await assert.rejects(startForge(t, { settings }), expected);
});
