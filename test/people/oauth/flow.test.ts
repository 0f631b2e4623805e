import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as oidc from 'openid-client';
import { startForge } from '../../support/forge/forge.ts';
import {
  answerOf,
  createClient,
  decide,
  exchange,
  grantedCode,
  newProof,
  openRequest,
  REDIRECT_URI,
  requestPath,
  sendForm,
  tokensFor,
} from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';

/** The library refuses servers without TLS unless it may. */
const LOCAL = { execute: [oidc.allowInsecureRequests] };

test('a certified client signs a user in, refreshes, reads the user, inspects and revokes', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.post('/api/v1/orgs', { username: 'crew' });
  const { clientId, secret } = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const issuer = new URL(forge.url);

  const config = await oidc.discovery(issuer, clientId, secret, undefined, LOCAL);
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile email groups read:user',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    max_age: '600',
  });
  const answer = await decide(reader, `${url.pathname}${url.search}`);
  const back = new URL(answer.headers.get('location') ?? '');
  const tokens = await oidc.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    maxAge: 600,
  });

  const claims = tokens.claims();
  assert.equal(tokens.token_type, 'bearer');
  assert.equal(tokens.expires_in, 3600);
  assert.equal(claims?.preferred_username, 'ada');
  assert.deepEqual(claims?.groups, ['crew', 'crew:Owners']);
  const user = await oidc.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
  assert.deepEqual([user.sub, user.email, user.email_verified], [claims?.sub, 'ada@example.org', true]);
  const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
  assert.notEqual(next.refresh_token, tokens.refresh_token);
  assert.equal(next.claims()?.sub, claims?.sub);
  const seen = await oidc.tokenIntrospection(config, next.access_token);
  assert.deepEqual(
    [seen.active, seen.username, seen.client_id, seen.scope],
    [true, 'ada', clientId, 'email groups openid profile read:user'],
  );
  await oidc.tokenRevocation(config, next.refresh_token ?? '');
  assert.deepEqual(await oidc.tokenIntrospection(config, next.access_token), { active: false });
});

test('a certified client that is public signs in with PKCE alone, at any port of its machine', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const { clientId } = await createClient(ada, {
    confidential_client: false,
    redirect_uris: ['http://127.0.0.1/callback'],
  });

  const config = await oidc.discovery(new URL(forge.url), clientId, undefined, oidc.None(), LOCAL);
  const verifier = oidc.randomPKCECodeVerifier();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: 'http://127.0.0.1:49152/callback',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const answer = await decide(reader, `${url.pathname}${url.search}`);
  const back = new URL(answer.headers.get('location') ?? '');
  assert.equal(back.host, '127.0.0.1:49152');
  const tokens = await oidc.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier });

  assert.equal((await forge.get('/api/v1/user', { as: { token: tokens.access_token } })).body.login, 'ada');
  assert.equal(tokens.id_token, undefined);
});

test('the endpoint of tokens takes forms and JSON, and the client in the header or in the body', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const code = () => grantedCode(reader, requestPath(client));
  const fields = async () => ({
    grant_type: 'authorization_code',
    code: await code(),
    redirect_uri: REDIRECT_URI,
  });
  const body = { client_id: client.clientId, client_secret: client.secret };
  const as = { name: client.clientId, password: client.secret };
  const path = '/login/oauth/access_token';

  const json = await forge.send('POST', path, { json: { ...(await fields()), ...body } });
  assert.equal(json.status, 200);
  assert.equal(json.headers.get('cache-control'), 'no-store');
  assert.match(json.body.access_token, /^quireo_/);
  const inHeader = await forge.send('POST', path, { json: await fields(), as });
  assert.equal(inHeader.status, 200);
  const form = {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(await fields()).toString(),
  };
  assert.equal((await forge.send('POST', path, { ...form, as })).status, 200);
  const both = await forge.send('POST', path, { json: { ...(await fields()), ...body }, as });
  assert.deepEqual([both.status, both.body.error], [400, 'invalid_request']);
});

test('errors of the endpoint of tokens have the codes and statuses of the standard', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const path = '/login/oauth/access_token';
  const failed = async (fields: Record<string, string>, secret = client.secret) => {
    const { status, body } = await sendForm(forge, { ...client, secret }, fields);
    return [status, body.error];
  };

  assert.deepEqual(await failed({}), [400, 'invalid_request']);
  assert.deepEqual(await failed({ grant_type: 'password' }), [400, 'unsupported_grant_type']);
  assert.deepEqual(await failed({ grant_type: 'authorization_code' }), [400, 'invalid_request']);
  const wrongCode = { grant_type: 'authorization_code', code: 'x'.repeat(43) };
  assert.deepEqual(await failed(wrongCode), [400, 'invalid_grant']);
  assert.deepEqual(await failed(wrongCode, 'wrong'), [401, 'invalid_client']);
  assert.deepEqual(await failed(wrongCode, ''), [401, 'invalid_client']);
  assert.deepEqual(await failed({ grant_type: 'refresh_token', refresh_token: 'wrong' }), [
    400,
    'invalid_grant',
  ]);
  const header = await forge.send('POST', path, { json: wrongCode, as: { name: 'nobody', password: 'x' } });
  assert.equal(header.status, 401);
  assert.match(header.headers.get('www-authenticate') ?? '', /^Basic /);
  assert.equal((await forge.send('POST', path, { json: wrongCode })).status, 401);
  assert.equal(
    (await forge.send('POST', path, { body: '<x/>', headers: { 'content-type': 'text/xml' } })).status,
    400,
  );
  const twice = await forge.send('POST', path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `client_id=${client.clientId}&client_id=${client.clientId}`,
  });
  assert.deepEqual([twice.status, twice.body.error], [400, 'invalid_request']);
  const nested = await forge.send('POST', path, { json: { client_id: { a: 1 } } });
  assert.deepEqual([nested.status, nested.body.error], [400, 'invalid_request']);
});

test('a user who denies a request sends the client the error, its state and the issuer', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  const { error, state, iss } = answerOf(await decide(reader, requestPath(client), 'deny'));

  assert.deepEqual([error, state, iss], ['access_denied', 'the state', forge.url]);
});

test('a request that cannot be granted goes back to its client with an error', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const confidential = await createClient(ada);
  const open = await createClient(ada, { confidential_client: false });
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const cases: readonly [Record<string, string | undefined>, string][] = [
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ scope: 'openid no:such' }, 'invalid_scope'],
    [{ request: 'x.y.z' }, 'request_not_supported'],
    [{ request_uri: 'https://app.example/request' }, 'request_uri_not_supported'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge: 'x'.repeat(43), code_challenge_method: 's256' }, 'invalid_request'],
    [{ code_challenge_method: 'S256' }, 'invalid_request'],
    [{ max_age: '-1' }, 'invalid_request'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ nonce: 'n'.repeat(513) }, 'invalid_request'],
  ];
  for (const [others, expected] of cases) {
    const answer = await openRequest(reader, requestPath(confidential, others));
    const { error, state, iss } = answerOf(answer);
    assert.deepEqual([error, state, iss], [expected, 'the state', forge.url], JSON.stringify(others));
  }
  assert.equal(answerOf(await openRequest(reader, requestPath(open))).error, 'invalid_request', 'PKCE');
  const doubled = await openRequest(reader, `${requestPath(confidential)}&scope=a&scope=b`);
  assert.equal(answerOf(doubled).error, 'invalid_request');
});

test('consent is remembered for a confidential client, and asked again for more', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const scope = 'openid write:repository';
  const isAsked = async (others: Record<string, string>) =>
    (await openRequest(reader, requestPath(client, others))).status === 200;

  assert.equal(await isAsked({ scope }), true);
  await tokensFor(forge, client, { reader, scope });
  assert.equal(await isAsked({ scope }), false);
  assert.equal(await isAsked({ scope: 'read:repository' }), false);
  assert.equal(await isAsked({ scope: `${scope} email` }), true);
  assert.equal(await isAsked({ scope: '' }), true);
  assert.equal(await isAsked({ scope, prompt: 'consent' }), true);
  const none = await openRequest(reader, requestPath(client, { scope: 'all', prompt: 'none' }));
  assert.equal(answerOf(none).error, 'consent_required');
  await ada.patch(`/api/v1/user/applications/oauth2/${client.id}`, { confidential_client: false });
  const { challenge } = newProof();
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
  assert.equal(await isAsked({ scope, ...pkce }), true, 'a public client is asked for each time');
  await ada.patch(`/api/v1/user/applications/oauth2/${client.id}`, { skip_secondary_authorization: true });
  assert.equal(await isAsked({ scope, ...pkce }), false);
});

test('a client of Drone gets what the scopes of another forge mean here', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const code = await grantedCode(
    reader,
    requestPath(client, { scope: 'repo repo:status user:email read:org' }),
  );

  const { body } = await exchange(forge, client, code);

  assert.equal(body.scope, 'read:organization read:user write:repository');
});

test('the user record has only what the scopes open', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const record = async (scope: string) => {
    const { access } = await tokensFor(forge, client, { reader, scope });
    return forge.get('/login/oauth/userinfo', { headers: { authorization: `Bearer ${access}` } });
  };

  assert.deepEqual(Object.keys((await record('openid')).body), ['sub']);
  assert.deepEqual(Object.keys((await record('openid email')).body), ['sub', 'email', 'email_verified']);
  const named = await record('openid profile');
  assert.deepEqual(Object.keys(named.body).toSorted(), [
    'name',
    'picture',
    'preferred_username',
    'profile',
    'sub',
  ]);
  const whole = await record('');
  assert.deepEqual(whole.body.groups, []);
  const denied = await record('write:repository');
  assert.deepEqual([denied.status, denied.body.error], [403, 'insufficient_scope']);
  for (const as of [undefined, { token: ada.token }, { name: 'ada', password: ada.password }]) {
    const answer = await forge.get('/login/oauth/userinfo', as === undefined ? {} : { as });
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer .*invalid_token/);
  }
});

test('without the feature there are no endpoints, and no token of it is valid', async (t) => {
  const forge = await startForge(t, { settings: { oauth: 'false' } });
  const ada = await forge.account('ada');

  for (const path of [
    '/login/oauth/authorize',
    '/login/oauth/keys',
    '/.well-known/openid-configuration',
    '/user/settings/applications',
  ])
    assert.equal((await forge.get(path, { as: ada })).status, 404, path);
  assert.equal((await ada.get('/api/v1/user/applications/oauth2')).status, 404);
});
