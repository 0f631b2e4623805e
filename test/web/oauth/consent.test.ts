import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { ageSessions } from '../../support/forge/sessions.ts';
import {
  answerOf,
  createClient,
  decide,
  openRequest,
  requestPath,
  tokensFor,
} from '../../support/http/oauth.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';

test('a person who is not signed in signs in first, and comes back to the request', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  const path = requestPath(client, { scope: 'write:repository' });

  const first = await reader.get(path);
  const location = first.headers.get('location') ?? '';
  assert.equal(location, `/user/login?redirect_to=${encodeURIComponent(path)}`);
  const page = await reader.get(location);
  const redirectTo = fieldIn(page.text, 'redirect_to').replaceAll('&amp;', '&');
  const typed = { user_name: 'ada', password: ada.password, redirect_to: redirectTo };
  const back = (await reader.post('/user/login', typed)).headers.get('location') ?? '';
  const consent = await reader.get(back);

  assert.match(consent.text, /<strong>Builder<\/strong>.* will be able to/);
  assert.match(consent.text, /read and change your repositories/);
  assert.match(consent.text, /app\.example/);
  assert.equal((await openRequest(new PageReader(forge), path)).status, 401, 'a program');
});

test('the answer is a page for a person, because browsers apply the policy of forms to redirects', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  const answer = await reader.post(requestPath(client), { decision: 'allow' });

  assert.equal(answer.status, 200);
  assert.match(answer.text, /http-equiv="refresh" content="0; url=https:\/\/app\.example\/callback\?code=/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
});

test('F3: no page of another site consents for a user, and none frames the page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const path = requestPath(client);
  const form = { 'content-type': 'application/x-www-form-urlencoded', accept: '*/*' };
  const consent = (headers: Record<string, string>, token = '') => {
    const body = new URLSearchParams({ decision: 'allow', form_token: token }).toString();
    return reader.send('POST', path, { headers: { ...form, ...headers }, body });
  };

  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])
    assert.equal((await consent(headers)).status, 403, JSON.stringify(headers));
  const page = await reader.get(path);
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  assert.equal(answerOf(await consent({}, fieldIn(page.text, 'form_token'))).state, 'the state');
});

test('F8: the name of an application is text on every page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const name = '"><script>alert(1)</script>';
  const client = await createClient(ada, { name });
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const state = '"><script>alert(2)</script>';
  const pages = [
    await reader.get(requestPath(client, { state })),
    await reader.post(requestPath(client, { state }), { decision: 'deny' }),
    await reader.get('/user/settings/applications'),
    await reader.get(`/user/settings/applications/oauth2/${client.id}`),
    await reader.get(requestPath({ ...client, redirectUri: `javascript:${state}` })),
  ];
  for (const page of pages) assert.ok(!page.text.includes('<script>'), page.text);
});

test('a grant of rights needs a recent proof, and one that only says who the user is does not', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  await ageSessions(forge, 16 * 60_000);
  const rights = requestPath(client, { scope: 'write:repository' });
  const proof = `/user/confirm?redirect_to=${encodeURIComponent(rights)}`;

  assert.equal((await reader.get(rights)).headers.get('location'), proof);
  const sent = await reader.post(rights, { decision: 'allow' });
  assert.equal(sent.headers.get('location'), proof);
  const identity = await decide(reader, requestPath(client, { scope: 'openid email' }));
  assert.equal(typeof answerOf(identity).code, 'string');

  await reader.post('/user/confirm', { password: ada.password });
  assert.equal(typeof answerOf(await decide(reader, rights)).code, 'string');
});

test('a client may want a new proof of its user, or no page at all', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const scope = 'openid';
  await tokensFor(forge, client, { reader, scope });
  const request = (others: Record<string, string>) => requestPath(client, { scope, ...others });

  assert.equal(typeof answerOf(await openRequest(reader, request({ prompt: 'none' }))).code, 'string');
  assert.equal(typeof answerOf(await openRequest(reader, request({ prompt: 'login' }))).code, 'string');
  await ageSessions(forge, 5 * 60_000);
  for (const others of [{ prompt: 'login' }, { max_age: '60' }, { max_age: '0' }]) {
    const location = (await reader.get(request(others))).headers.get('location') ?? '';
    assert.ok(location.startsWith('/user/confirm?'), location);
  }
  const none = await openRequest(reader, request({ prompt: 'none', max_age: '60' }));
  assert.equal(answerOf(none).error, 'login_required');
  assert.equal(typeof answerOf(await openRequest(reader, request({ max_age: '600' }))).code, 'string');
});
