import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import {
  beginCodes,
  codeOf,
  forgetUsedCodes,
  withCodes,
  wrongCodeOf,
} from '../../support/forge/second-factor.ts';
import { tryGit } from '../../support/git/git.ts';
import { PageReader } from '../../support/http/page-reader.ts';

test('with a second factor, a password alone opens nothing, and a token opens what it did', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true, auto_init: true });
  const byPassword = { name: 'ada', password: ada.password };
  const byToken = { name: 'ada', password: ada.token };
  // The password is known to be right from here on.
  assert.equal((await forge.get('/api/v1/user', { as: byPassword })).status, 200);
  await withCodes(forge, ada);

  const headers = { 'ocs-apirequest': 'true' };
  for (const path of [
    '/api/v1/user',
    '/ada/engine.git/info/refs?service=git-upload-pack',
    '/ada/engine.git/info/lfs/locks',
    '/apps/notes/api/v1/notes',
    '/ocs/v2.php/cloud/user?format=json',
    '/ocs/v2.php/core/getapppassword?format=json',
    '/ada/engine',
  ]) {
    const denied = await forge.get(path, { as: byPassword, headers });
    assert.equal(denied.status, 401, path);
    assert.match(denied.text, /your account has a second factor: (send a code|use a token)/, path);
    if (path.includes('lfs') || path.includes('getapppassword')) continue;
    assert.equal((await forge.get(path, { as: byToken, headers })).status, 200, path);
  }
  const wrong = await forge.get('/api/v1/user', { as: { name: 'ada', password: 'wrong' } });
  assert.equal(wrong.body.message, 'invalid user name, password or token');
});

for (const header of ['X-Gitea-OTP', 'X-Forgejo-OTP'])
  test(`the forge API takes a password with a code in the header ${header}, once`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada');
    const { secret, recoveryCodes } = await withCodes(forge, ada);
    const as = { name: 'ada', password: ada.password };
    const ask = (code: string) => forge.get('/api/v1/user', { as, headers: { [header]: code } });

    const wrong = await ask(wrongCodeOf(secret));
    assert.deepEqual(
      [wrong.status, wrong.body.message],
      [401, 'your account has a second factor: the code is wrong, or was used before'],
    );
    const code = codeOf(secret);
    assert.equal((await ask(code)).status, 200);
    assert.equal((await ask(code)).status, 401);
    assert.equal((await ask(recoveryCodes[0] ?? '')).status, 200);
    assert.equal((await ask(recoveryCodes[0] ?? '')).status, 401);
    await forgetUsedCodes(forge);
    const made = await forge.send('POST', '/api/v1/users/ada/tokens', {
      as,
      headers: { [header]: code },
      json: { name: 'for git', scopes: ['read:user'] },
    });
    assert.equal(made.status, 201);
  });

test('A8: of several requests with one code at the same time, one succeeds', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { secret } = await withCodes(forge, ada);
  const as = { name: 'ada', password: ada.password };
  const headers = { 'x-gitea-otp': codeOf(secret) };

  const answers = await Promise.all(
    Array.from({ length: 5 }, () => forge.get('/api/v1/user', { as, headers })),
  );

  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401, 401, 401]);
});

test('a code opens no other wire than the forge API', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true, auto_init: true });
  const { secret } = await withCodes(forge, ada);
  const as = { name: 'ada', password: ada.password };
  const headers = { 'x-gitea-otp': codeOf(secret), 'ocs-apirequest': 'true' };

  for (const path of [
    '/ada/engine.git/info/refs?service=git-upload-pack',
    '/apps/notes/api/v1/notes',
    '/ocs/v2.php/cloud/user',
    '/ada/engine',
  ])
    assert.equal((await forge.get(path, { as, headers })).status, 401, path);
  assert.equal((await forge.get('/api/v1/user', { as, headers })).status, 200, 'the code is still unused');
});

test('where the operator requires a second factor, a password does nothing else until there is one', async (t) => {
  const forge = await startForge(t, { settings: { requireSecondFactor: 'all' } });
  const create = {
    username: 'ada',
    email: 'ada@example.org',
    password: 'correct horse',
    must_change_password: false,
  };
  assert.equal((await forge.root.post('/api/v1/admin/users', create)).status, 201);
  const ada = { name: 'ada', password: create.password };
  const security = '/user/settings/security';
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  for (const path of ['/ada', '/login/v2/flow/x'])
    assert.match(
      (await reader.get(path)).headers.get('location') ?? '',
      /^\/user\/settings\/security\?/,
      path,
    );
  const message = `your account needs a second factor: set it up at ${forge.url}${security}`;
  const bySession = await reader.get('/api/v1/user');
  assert.deepEqual([bySession.status, bySession.body.message], [403, message]);
  const headers = { 'ocs-apirequest': 'true' };
  for (const path of [
    '/api/v1/user',
    '/ada/engine.git/info/refs?service=git-upload-pack',
    '/apps/notes/api/v1/notes',
    '/ocs/v2.php/cloud/user?format=json',
  ]) {
    const denied = await forge.get(path, { as: ada, headers });
    assert.equal(denied.status, 403, path);
    assert.ok(denied.text.includes('your account needs a second factor'), `${path}: ${denied.text}`);
  }

  const secret = await beginCodes(reader);
  assert.equal((await reader.post(`${security}/two_factor/enroll`, { code: codeOf(secret) })).status, 200);
  assert.equal((await reader.get('/ada')).status, 200);
  assert.equal((await reader.get('/api/v1/user')).status, 200);
});

test('the operator may require a second factor of administrators alone, and tokens go on working', async (t) => {
  const forge = await startForge(t, { settings: { requireSecondFactor: 'administrators' } });
  const ada = await forge.account('ada');
  const root = new PageReader(forge);
  await root.signIn(forge.root);
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  assert.equal((await root.get('/ada')).status, 303);
  assert.equal((await root.get('/user/logout')).status, 200);
  assert.equal((await reader.get('/ada')).status, 200);
  assert.equal((await forge.root.get('/api/v1/admin/users')).status, 200);
});

test('git shows its user what a password lacks', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true, auto_init: true });
  await withCodes(forge, ada);
  const remote = new URL(ada.remote('ada/engine'));
  const list = (url: string) => tryGit(process.cwd(), ['ls-remote', url]);
  assert.equal((await list(remote.href)).exitCode, 0);
  remote.password = encodeURIComponent(ada.password);

  const denied = await list(remote.href);
  assert.equal(denied.exitCode, 128);
  assert.match(
    denied.stderr,
    /remote: your account has a second factor: use a token or an app password instead of your password\n/,
  );
});
