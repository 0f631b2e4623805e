import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRedirectUriOf, problemOfRedirectUri } from '../../../src/people/oauth/redirect-uris.ts';
import { startForge } from '../../support/forge/forge.ts';
import { answerOf, createClient, openRequest, requestPath } from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const REGISTERED = 'https://app.example/oauth/callback?from=quire';
/** Addresses that differ from the registered one, most of them in one character. */
const OTHERS = [
  'https://app.example/oauth/callback',
  'https://app.example/oauth/callback?from=quire&',
  'https://app.example/oauth/callback?from=quir',
  'https://app.example/oauth/callbacK?from=quire',
  'https://app.example/oauth/callback/?from=quire',
  'https://app.example/oauth//callback?from=quire',
  'https://app.example/oauth/./callback?from=quire',
  'https://app.example/x/../oauth/callback?from=quire',
  'https://app.example/oauth%2Fcallback?from=quire',
  'https://app.example/oauth/callback?from=quire#',
  'https://app.example/oauth/callback?from=quire#x',
  'https://App.example/oauth/callback?from=quire',
  'https://app.example:443/oauth/callback?from=quire',
  'https://app.example./oauth/callback?from=quire',
  'https://xapp.example/oauth/callback?from=quire',
  'https://app.example.evil.example/oauth/callback?from=quire',
  'https://app.example@evil.example/oauth/callback?from=quire',
  'https://evil.example/oauth/callback?from=quire',
  'https://evil.example\\@app.example/oauth/callback?from=quire',
  'https:/app.example/oauth/callback?from=quire',
  'https:app.example/oauth/callback?from=quire',
  '//app.example/oauth/callback?from=quire',
  'http://app.example/oauth/callback?from=quire',
  'https://аpp.example/oauth/callback?from=quire',
  'https://app.example/oauth/callback?from=quire\u200b',
  ' https://app.example/oauth/callback?from=quire',
  'javascript:alert(1)',
  'data:text/html,x',
];

test('F4: a redirect address that differs in one character gets a page, never a redirect', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada, { redirect_uris: [REGISTERED] });
  const open = await createClient(ada, { redirect_uris: [REGISTERED], confidential_client: false });
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  for (const { clientId } of [client, open])
    for (const redirectUri of OTHERS) {
      const answer = await openRequest(reader, requestPath({ clientId, redirectUri }));
      assert.equal(answer.status, 400, redirectUri);
      assert.equal(answer.headers.get('location'), null);
      assert.ok(!answer.text.includes('evil.example'));
    }
  const right = { clientId: client.clientId, redirectUri: REGISTERED };
  assert.equal((await openRequest(reader, requestPath(right))).status, 200);
  const missing = await openRequest(reader, requestPath({ ...right, clientId: 'missing' }));
  assert.equal(missing.status, 400);
  const twice = await openRequest(reader, `${requestPath(right)}&redirect_uri=https://evil.example`);
  assert.equal(twice.status, 400);
});

test('F4: a link to this server leads no one to an application who is not signed in', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);

  for (const others of [{}, { scope: 'no:such' }, { response_type: 'token' }, { prompt: 'none login' }]) {
    const location = (await reader.get(requestPath(client, others))).headers.get('location') ?? '';
    assert.ok(location.startsWith('/user/login?'), location);
  }
  const silent = await openRequest(reader, requestPath(client, { prompt: 'none' }));
  assert.equal(answerOf(silent).error, 'login_required');
});

test('only a public client may choose the port, on the machine of its user and over HTTP', () => {
  const open = { isConfidential: false };
  const cases: readonly [registered: string, sent: string, isOne: boolean][] = [
    ['http://127.0.0.1/', 'http://127.0.0.1:4711', true],
    ['http://127.0.0.1/', 'http://127.0.0.1:4711/', true],
    ['http://127.0.0.1', 'http://127.0.0.1', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711/cb', true],
    ['http://127.0.0.1:80/cb', 'http://127.0.0.1:4711/cb', true],
    ['http://[::1]/cb', 'http://[::1]:4711/cb', true],
    ['http://localhost/cb', 'http://localhost:4711/cb', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711/cb/', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711/', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.2:4711/cb', false],
    ['http://127.0.0.1/cb', 'http://localhost:4711/cb', false],
    ['http://127.0.0.1/cb', 'https://127.0.0.1:4711/cb', false],
    ['https://127.0.0.1/cb', 'https://127.0.0.1:4711/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711@evil.example/cb', false],
    ['http://127.0.0.1/cb', 'http://x@127.0.0.1:4711/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example:4711/cb', false],
    ['http://127.0.0.1/cb', 'http://127.1:4711/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711/x/../cb', false],
    ['http://app.example/cb', 'http://app.example:4711/cb', false],
  ];
  for (const [registered, sent, isOne] of cases) {
    const redirectUris = [registered];
    assert.equal(isRedirectUriOf({ redirectUris, ...open }, sent), isOne, `${registered} ${sent}`);
    const isSame = registered === sent;
    assert.equal(isRedirectUriOf({ redirectUris, isConfidential: true }, sent), isSame);
  }
});

test('an application registers only whole addresses, written as a browser writes them', () => {
  const right = [
    'https://app.example/callback',
    'https://app.example',
    'http://ci.lan:8000/authorize',
    'http://127.0.0.1/',
    'http://[::1]:8080/cb',
    'com.example.app:/callback',
    'https://xn--pple-43d.example/',
  ];
  const wrong = [
    '',
    'callback',
    '/callback',
    'https://',
    'https://*.example/callback',
    'https://app.example/*',
    'https://app.example/#top',
    'https://ada:secret@app.example/',
    'https://app.example/a/../b',
    'https://APP.example/',
    'https://app.example:443/',
    'https://аpple.example/',
    'https://app.example/ü',
    'https://app.example/a b',
    'https://app.example\\@evil.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'myapp://callback',
    `https://app.example/${'x'.repeat(2_000)}`,
    'https://app.example/\n',
  ];
  for (const uri of right) assert.equal(problemOfRedirectUri(uri), undefined, uri);
  for (const uri of wrong) assert.notEqual(problemOfRedirectUri(uri), undefined, uri);
});
