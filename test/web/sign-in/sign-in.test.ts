import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName } from '../../../src/web/sign-in/browser-name.ts';
import { startForge } from '../../support/forge/forge.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';

const COOKIE = 'quire_session';

test('a person signs in on the page, sees what is private, and signs out', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('diary', { private: true });
  const reader = new PageReader(forge);
  assert.equal((await reader.get('/ada/diary')).status, 404);

  const page = await reader.get('/user/login?redirect_to=/ada/diary');
  assert.equal(fieldIn(page.text, 'redirect_to'), '/ada/diary');
  const signedIn = await reader.post('/user/login', {
    user_name: 'ada',
    password: ada.password,
    redirect_to: '/ada/diary',
  });

  assert.deepEqual([signedIn.status, signedIn.headers.get('location')], [303, '/ada/diary']);
  assert.equal((await reader.get('/ada/diary')).status, 200);
  const signedOut = await reader.post('/user/logout', {});
  assert.equal(signedOut.status, 303);
  assert.equal((await reader.get('/ada/diary')).status, 404);
});

test('the cookie of a session is for this server alone, and no script reads it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');

  for (const remember of ['', 'on']) {
    const fields = { user_name: 'ada', password: ada.password, remember };
    const answer = await new PageReader(forge).post('/user/login', fields);
    const [line = ''] = answer.headers.getSetCookie();
    const [, ...attributes] = line.split('; ');
    const kept = remember === '' ? [] : ['Max-Age=15552000'];
    assert.deepEqual(attributes.toSorted(), [...kept, 'HttpOnly', 'Path=/', 'SameSite=Lax'].toSorted());
  }
});

test('A16: a sign-in always gives a new secret, so one that was planted is worth nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  const planted = 'x'.repeat(43);
  reader.cookies.set(COOKIE, planted);

  await reader.signIn(ada);

  assert.notEqual(reader.cookies.get(COOKIE), planted);
  const attacker = new PageReader(forge);
  attacker.cookies.set(COOKIE, planted);
  assert.equal((await attacker.get('/user/settings/sessions')).status, 303);
});

test('A16: a cookie that was stolen is worth nothing after the user has signed out', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const thief = new PageReader(forge);
  thief.cookies.set(COOKIE, reader.cookies.get(COOKIE) ?? '');
  assert.equal((await thief.get('/user/settings/sessions')).status, 200);

  await reader.post('/user/logout', {});

  assert.equal((await thief.get('/user/settings/sessions')).status, 303);
});

test('F4: signing in leads back only to pages of this server', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const elsewhere = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/\t/evil.example',
    '/%0d%0aset-cookie:x=y\r\n',
    'javascript:alert(1)',
    ' //evil.example',
    '/..//evil.example',
    '',
  ];
  for (const target of elsewhere) {
    const reader = new PageReader(forge);
    const sent = { user_name: 'ada', password: ada.password, redirect_to: target };
    const location = (await reader.post('/user/login', sent)).headers.get('location') ?? '';
    assert.equal(new URL(location, forge.url).origin, forge.url, target);
    assert.equal(new URL(location, forge.url).hostname, new URL(forge.url).hostname, target);
  }
});

test('a wrong name and a wrong password have the same response', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const wrong = [
    { user_name: 'ada', password: 'not the password' },
    { user_name: 'missing', password: 'not the password' },
    { user_name: 'missing', password: ada.password },
  ];
  const pages = await Promise.all(
    wrong.map(async (fields) => {
      const answer = await new PageReader(forge).post('/user/login', fields);
      return [answer.status, answer.text.replaceAll(/value="[^"]*"/g, '')];
    }),
  );

  assert.equal(pages[0]?.[0], 403);
  assert.deepEqual(pages[1], pages[0]);
  assert.deepEqual(pages[2], pages[0]);
});

test('a token is no password on the sign-in page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');

  const sent = { user_name: 'ada', password: ada.token };
  assert.equal((await new PageReader(forge).post('/user/login', sent)).status, 403);
});

test('a disabled account cannot sign in, and its sessions end', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  await forge.root.patch('/api/v1/admin/users/ada', { prohibit_login: true });

  assert.equal((await reader.get('/user/settings/sessions')).status, 303);
  const again = await new PageReader(forge).post('/user/login', { user_name: 'ada', password: ada.password });
  assert.equal(again.status, 403);
  await forge.root.patch('/api/v1/admin/users/ada', { prohibit_login: false });
  assert.equal((await reader.get('/user/settings/sessions')).status, 303, 'the session does not come back');
});

test('a person who must change the password chooses a new one to sign in', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada', { must_change_password: false });
  await forge.root.patch('/api/v1/admin/users/ada', { must_change_password: true });
  const reader = new PageReader(forge);
  const typed = { user_name: 'ada', password: ada.password };

  const first = await reader.post('/user/login', typed);
  assert.deepEqual([first.status, /name="new_password"/.test(first.text)], [200, true]);
  assert.equal(reader.cookies.has(COOKIE), false);
  for (const bad of ['short', ada.password])
    assert.equal((await reader.post('/user/login', { ...typed, new_password: bad })).status, 422);
  assert.equal((await reader.post('/user/login', { ...typed, new_password: 'a better horse' })).status, 303);

  assert.equal((await reader.get('/user/settings/sessions')).status, 200);
  assert.equal((await reader.post('/user/login', typed)).status, 403, 'the former password is wrong now');
});

test('F3: no page of another site signs anyone in or out', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const foreign = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' },
  ];

  for (const headers of foreign) {
    const sent = { user_name: 'ada', password: ada.password };
    const attacked = new PageReader(forge);
    assert.equal((await attacked.post('/user/login', sent, { headers })).status, 403);
    assert.equal(attacked.cookies.has(COOKIE), false);
    assert.equal((await reader.post('/user/logout', {}, { headers })).status, 403);
  }

  assert.equal((await reader.get('/user/settings/sessions')).status, 200);
});

test('F3: a browser that does not say where a form comes from needs the token of the page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const post = (path: string, fields: Record<string, string>) =>
    reader.send('POST', path, { headers: form, body: new URLSearchParams(fields).toString() });
  const typed = { user_name: 'ada', password: ada.password };
  const page = await reader.get('/user/login');
  const token = fieldIn(page.text, 'form_token');

  assert.equal((await post('/user/login', typed)).status, 403);
  assert.equal((await post('/user/login', { ...typed, form_token: `${token}x` })).status, 403);
  assert.equal((await post('/user/login', { ...typed, form_token: token })).status, 303);

  assert.equal((await post('/user/logout', { form_token: token })).status, 403, 'a token of no session');
  const own = fieldIn((await reader.get('/user/logout')).text, 'form_token');
  assert.equal((await post('/user/logout', { form_token: own })).status, 303);
});

test('a person who must sign in first is sent to the sign-in page and back', async (t) => {
  const forge = await startForge(t);

  const answer = await new PageReader(forge).get('/user/settings/sessions?page=2');
  assert.deepEqual(
    [answer.status, answer.headers.get('location')],
    [303, '/user/login?redirect_to=%2Fuser%2Fsettings%2Fsessions%3Fpage%3D2'],
  );
  const program = await forge.get('/user/settings/sessions');
  assert.equal(program.status, 401);
});

test('browsers are named for their users', () => {
  const agents = {
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox on Linux',
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0':
      'Edge on Windows',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile Safari/604.1':
      'Safari on iPhone',
    'curl/8.0': 'curl',
    '': 'Unknown browser',
  };
  for (const [agent, name] of Object.entries(agents)) assert.equal(browserName(agent), name);
});
