import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { ageSessions } from '../../support/forge/sessions.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { Authenticator, askedIn } from '../../support/keys/authenticator.ts';
import { signInAt, startBoth } from '../external/test-provider.ts';

const OFF = { settings: { localPasswords: 'false' } };
const AUTOMATIC = { createAccounts: 'automatic' };

test('where passwords are off, they sign in on no wire, right or wrong, and tokens do', async (t) => {
  const { forge } = await startBoth(t, AUTOMATIC, OFF);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const paths = [
    '/api/v1/user',
    '/ada/engine.git/info/refs?service=git-upload-pack',
    '/ada/engine.git/info/lfs/locks',
    '/index.php/apps/notes/api/v1/notes',
    '/ocs/v1.php/cloud/capabilities',
    '/ada/engine',
  ];
  for (const path of paths) {
    const accept = path.includes('/lfs/') ? 'application/vnd.git-lfs+json' : '*/*';
    const texts = new Set<string>();
    for (const [name, password] of [
      ['ada', ada.password],
      ['ada', 'wrong'],
      ['nobody', 'wrong'],
    ] as const) {
      const answer = await forge.send('GET', path, { as: { name, password }, headers: { accept } });
      assert.equal(answer.status, 401, path);
      texts.add(answer.text.replace(/"request_id":"[^"]*"/, ''));
    }
    assert.equal(texts.size, 1, path);
    // The texts of these APIs are those that their apps know.
    if (!/\/(?:notes|ocs)\//.test(path)) assert.match([...texts].join(), /takes no passwords/, path);
    const as = { name: 'ada', password: ada.token };
    const byToken = await forge.send('GET', path, { as, headers: { accept } });
    assert.notEqual(byToken.status, 401, path);
  }
});

test('where passwords are off, no page takes one', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC, OFF);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);

  const page = await reader.get('/user/login');
  assert.doesNotMatch(page.text, /type="password"/);
  assert.match(page.text, /Sign in with The Corp/);
  const sent = await reader.post('/user/login', { user_name: 'ada', password: ada.password });
  assert.equal(sent.status, 403);
  assert.match(sent.text, /Passwords do not sign in on this server/);

  const flow = await forge.send('POST', '/login/v2');
  const device = new URL(flow.body.login).pathname;
  const toDevice = await reader.get(device);
  assert.equal(toDevice.status, 303, 'devices are connected through the sign-in page');
  assert.match(toDevice.headers.get('location') ?? '', /^\/user\/login\?/);

  await signInAt(provider, reader, { sub: 'bob', preferred_username: 'bob' });
  assert.doesNotMatch((await reader.get('/user/confirm')).text, /type="password"/);
  const account = await reader.get('/user/settings/account');
  assert.doesNotMatch(account.text, /type="password"/);
  const deleted = await reader.post('/user/settings/account/delete', {});
  assert.deepEqual([deleted.status, (await forge.get('/api/v1/users/bob')).status], [200, 404]);
  const change = { current_password: ada.password, new_password: 'a better horse' };
  assert.equal((await ada.put('/api/v1/user/password', change)).status, 401);
});

test('where passwords are off, an account that should change its password need not', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC, OFF);
  const reader = new PageReader(forge);
  const claims = { sub: 'bob', preferred_username: 'bob' };
  await signInAt(provider, reader, claims);
  await forge.root.patch('/api/v1/admin/users/bob', { must_change_password: true });

  await signInAt(provider, reader, claims);

  assert.equal((await reader.get('/api/v1/user')).body.login, 'bob');
});

test('a server on which no one could sign in does not start', async (t) => {
  await assert.rejects(
    startForge(t, { settings: { localPasswords: 'false' } }),
    /no one could sign in: .*--sign-in-providers/,
  );
});

test('where passwords are off, a passkey that has checked its user confirms', async (t) => {
  const origin = 'https://forge.example';
  const { provider, forge } = await startBoth(t, AUTOMATIC, { ...OFF, baseUrl: origin });
  const reader = new PageReader(forge);
  await signInAt(provider, reader, { sub: 'bob', preferred_username: 'bob' });
  const add = '/user/settings/security/webauthn/register';
  const authenticator = new Authenticator(origin);
  const asked = askedIn((await reader.get(add)).text);
  await reader.post(add, { name: 'Phone', ...authenticator.create(asked) });
  await ageSessions(forge, 16 * 60_000);
  assert.equal((await reader.get(add)).status, 303);

  const page = await reader.get('/user/confirm');
  assert.doesNotMatch(page.text, /type="password"|name="code"/);
  assert.match(page.text, /Sign in with The Corp/);
  const confirming = askedIn(page.text);
  assert.equal(confirming.options.userVerification, 'required');
  const unchecked = authenticator.get(confirming, { isVerified: false });
  assert.equal((await reader.post('/user/confirm', unchecked)).status, 403);
  assert.equal((await reader.post('/user/confirm', authenticator.get(confirming))).status, 303);

  assert.equal((await reader.get(add)).status, 200);
});
