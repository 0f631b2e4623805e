import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageReader } from '../../support/http/page-reader.ts';
import { until } from '../../support/until.ts';
import {
  begin,
  type Faults,
  providerSettings,
  signInAt,
  startBoth,
  startForgeWith,
  startProvider,
} from './test-provider.ts';

const ADA = { sub: 'ada-1', preferred_username: 'ada' };
const AUTOMATIC = { createAccounts: 'automatic' };
const NOW = () => Math.floor(Date.now() / 1000);

async function isSignedIn(reader: PageReader): Promise<boolean> {
  return (await reader.get('/api/v1/user')).status === 200;
}

test('A16: a sign-in ends only in the browser that has begun it', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC);
  const [attacker, victim, other] = [new PageReader(forge), new PageReader(forge), new PageReader(forge)];

  const back = provider.grant(await begin(attacker), ADA);
  const without = await victim.get(back);
  await begin(other);
  const withAnother = await other.get(back);

  assert.deepEqual([without.status, withAnother.status], [400, 403]);
  for (const reader of [victim, other]) assert.equal(await isSignedIn(reader), false);
  assert.equal((await attacker.get(back)).status, 303);
});

test('A16: an address to which a provider has sent a browser works once, also with the cookie again', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC);
  const reader = new PageReader(forge);
  const back = provider.grant(await begin(reader), ADA);
  const thief = new PageReader(forge);
  for (const [name, value] of reader.cookies) thief.cookies.set(name, value);

  assert.equal((await reader.get(back)).status, 303);
  assert.equal((await reader.get(back)).status, 400);
  assert.equal((await thief.get(back)).status, 403);
  // The state is used, whatever the provider says about another code.
  for (const [name, value] of reader.cookies) if (name !== 'quire_session') thief.cookies.set(name, value);
  assert.equal(await isSignedIn(thief), false);
});

test('A16: a state works once, even if the provider gives a second code for it', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC);
  const reader = new PageReader(forge);
  const location = await begin(reader);
  const thief = new PageReader(forge);
  for (const [name, value] of reader.cookies) thief.cookies.set(name, value);

  assert.equal((await reader.get(provider.grant(location, ADA))).status, 303);
  const second = await thief.get(provider.grant(location, ADA));

  assert.equal(second.status, 400);
  assert.match(second.text, /has ended/);
  assert.equal(await isSignedIn(thief), false);
});

test('A16: the code of one provider is worth nothing at another', async (t) => {
  const [honest, evil] = [await startProvider(t), await startProvider(t)];
  const forge = await startForgeWith(t, [
    providerSettings(honest, AUTOMATIC),
    providerSettings(evil, { ...AUTOMATIC, name: 'evil' }),
  ]);
  const reader = new PageReader(forge);
  const back = honest.grant(await begin(reader), ADA);

  // Another path than the one where the browser began.
  const mixed = await reader.get(back.replace('/oauth2/corp/', '/oauth2/evil/'));
  assert.equal(mixed.status, 400);
  // The evil provider sends the browser on to the honest one, and wants its code.
  const atEvil = await begin(reader, '/user/oauth2/evil');
  const state = new URL(atEvil).searchParams.get('state') ?? '';
  const code = new URLSearchParams(honest.grant(await begin(new PageReader(forge)), ADA).split('?')[1]).get(
    'code',
  );
  const stolen = new URLSearchParams({ code: code ?? '', state, iss: honest.issuer });
  assert.equal((await reader.get(`/user/oauth2/evil/callback?${stolen}`)).status, 403);
  assert.equal(evil.asked.includes('/token'), false);
  assert.equal(await isSignedIn(reader), false);
});

/** What a provider, or one who stands between, could answer. Each is refused. */
const LIES: Readonly<Record<string, () => Faults>> = {
  'another issuer in the token': () => ({ claims: { iss: 'https://other.example' } }),
  'another audience': () => ({ claims: { aud: 'another-client' } }),
  'several audiences, and another authorized party': () => ({
    claims: { aud: ['quire', 'other'], azp: 'other' },
  }),
  'another nonce': () => ({ claims: { nonce: 'x'.repeat(43) } }),
  'no nonce': () => ({ claims: { nonce: undefined } }),
  'a token that has expired': () => ({ claims: { exp: NOW() - 60 } }),
  'a token of tomorrow': () => ({ claims: { nbf: NOW() + 86_400 } }),
  'no end': () => ({ claims: { exp: undefined } }),
  'no subject': () => ({ claims: { sub: undefined } }),
  'a subject that is a number': () => ({ claims: { sub: 17 } }),
  'an empty subject': () => ({ claims: { sub: '' } }),
  'a huge subject': () => ({ claims: { sub: 'x'.repeat(256) } }),
  'no signature': () => ({ signsWith: 'none' }),
  'no signature, with the letters in another case': () => ({ signsWith: 'none', header: { alg: 'NonE' } }),
  'a signature with another key': () => ({ signsWith: 'other-key' }),
  'a signature with the secret of the client': () => ({ signsWith: 'client-secret' }),
  'an unknown key': () => ({ header: { kid: 'two' } }),
  'another subject in the response with claims': () => ({ userInfo: { sub: 'eve' } }),
  'a huge token': () => ({ claims: { padding: 'x'.repeat(600 * 1024) } }),
  'huge claims': () => ({ huge: '/userinfo' }),
  'too many groups': () => ({ claims: { groups: Array.from({ length: 1_001 }, (_, index) => `g${index}`) } }),
  'a huge name of a group': () => ({ claims: { groups: ['x'.repeat(256)] } }),
  'groups that are no names': () => ({ claims: { groups: [{ name: 'admins' }] } }),
  'a reference to the groups': () => ({ claims: { _claim_names: { groups: 'src1' } } }),
};

test('A16: what a provider answers must be right', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC);
  for (const [lie, faults] of Object.entries(LIES)) {
    const reader = new PageReader(forge);
    provider.faults = {};
    const location = await begin(reader);
    provider.faults = faults();
    const answer = await reader.get(provider.grant(location, ADA));
    assert.equal(answer.status, 403, `${lie}: ${answer.text}`);
    assert.equal(await isSignedIn(reader), false, lie);
  }
  assert.equal((await forge.get('/api/v1/users/ada')).status, 404);
});

test('the clocks of provider and server may differ a little', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC);
  provider.faults = { claims: { iat: NOW() + 20, nbf: NOW() + 20, exp: NOW() - 20 } };
  const reader = new PageReader(forge);

  await signInAt(provider, reader, ADA);

  assert.equal(await isSignedIn(reader), true);
});

test('A16: the address of the answer must name the state, one code and the issuer', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC);
  const changes: readonly ((query: URLSearchParams) => void)[] = [
    (query) => query.delete('state'),
    (query) => query.set('state', `${query.get('state')}x`),
    (query) => query.append('state', query.get('state') ?? ''),
    (query) => query.delete('code'),
    (query) => query.append('code', 'second'),
    (query) => query.delete('iss'),
    (query) => query.set('iss', 'https://other.example'),
    (query) => query.set('error', 'access_denied'),
  ];
  for (const change of changes) {
    const reader = new PageReader(forge);
    const [path, query] = provider.grant(await begin(reader), ADA).split('?');
    const changed = new URLSearchParams(query);
    change(changed);
    const answer = await reader.get(`${path}?${changed}`);
    assert.equal(answer.status, 403, `${changed} ${answer.text}`);
    assert.equal(await isSignedIn(reader), false);
  }
});

test('a refusal of the provider is shown, but no text that anyone can put into a link', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC);
  const refuse = async (error: string) => {
    const reader = new PageReader(forge);
    const state = new URL(await begin(reader)).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error, state, iss: provider.issuer, error_description: 'Call 555' });
    return reader.get(`/user/oauth2/corp/callback?${query}`);
  };

  const refused = await refuse('access_denied');
  const spoofed = await refuse('Call 555 now <b>');

  assert.deepEqual([refused.status, spoofed.status], [403, 403]);
  assert.match(refused.text, /The Corp did not sign you in \(access_denied\)/);
  for (const { text } of [refused, spoofed]) assert.doesNotMatch(text, /555/);
});

test('a wrong secret of the client is an error of the settings, and not of the user', async (t) => {
  const provider = await startProvider(t);
  const settings = providerSettings(provider, { ...AUTOMATIC, clientSecret: 'another' });
  const forge = await startForgeWith(t, [settings]);

  const answer = await signInAt(provider, new PageReader(forge), ADA);

  assert.equal(answer.status, 403);
  assert.match(answer.text, /\(invalid_client\)/);
  assert.doesNotMatch(answer.text, /another/);
});

test('F4: a sign-in leads back only to pages of this server', async (t) => {
  const { provider, forge } = await startBoth(t, AUTOMATIC);
  const places = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    `/${'x'.repeat(1000)}`,
  ];
  for (const place of places) {
    const path = `/user/oauth2/corp?redirect_to=${encodeURIComponent(place)}`;
    const answer = await signInAt(provider, new PageReader(forge), ADA, path);
    assert.equal(answer.headers.get('location'), '/', place);
  }
});

test('the address of the return is the same for each request, whatever host it names', async (t) => {
  const { forge } = await startBoth(t, AUTOMATIC);
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
  const answer = await new PageReader(forge).get('/user/oauth2/corp', { headers });
  const location = new URL(answer.headers.get('location') ?? '');
  assert.equal(location.searchParams.get('redirect_uri'), `${forge.url}/user/oauth2/corp/callback`);
  assert.equal(location.searchParams.get('code_challenge_method'), 'S256');
});

test('a description of a provider that is wrong or too large is refused', async (t) => {
  const provider = await startProvider(t);
  const descriptions: readonly Faults[] = [
    { description: { issuer: 'https://other.example' } },
    { description: { authorization_endpoint: 'http://evil.example/authorize' } },
    { description: { authorization_endpoint: 'javascript:alert(1)' } },
    { huge: '/.well-known/openid-configuration' },
  ];
  for (const faults of descriptions) {
    const forge = await startForgeWith(t, [providerSettings(provider)], { fresh: true });
    provider.faults = faults;
    const answer = await forge.get('/user/oauth2/corp');
    assert.equal(answer.status, 403, `${JSON.stringify(faults)} ${answer.text}`);
  }
});

test('keys of a provider that are too large are refused', async (t) => {
  const provider = await startProvider(t);
  const forge = await startForgeWith(t, [providerSettings(provider, AUTOMATIC)], { fresh: true });
  provider.faults = { huge: '/keys' };

  assert.equal((await signInAt(provider, new PageReader(forge), ADA)).status, 403);
});

test('E1: a provider sends the server to no private address that the operator does not allow', async (t) => {
  const provider = await startProvider(t);
  const forge = await startForgeWith(t, [providerSettings(provider)], { settings: { outboundAllow: '' } });

  const denied = await forge.get('/user/oauth2/corp');

  assert.equal(denied.status, 503);
  assert.match(denied.text, /does not connect to this host/);
  assert.deepEqual(provider.asked, []);
});

test('a provider that is down disturbs no other sign-in', async (t) => {
  const [down, up] = [await startProvider(t), await startProvider(t)];
  const forge = await startForgeWith(t, [
    providerSettings(down),
    providerSettings(up, { ...AUTOMATIC, name: 'up' }),
  ]);
  const ada = await forge.account('ada');
  down.faults = { silent: '/.well-known/openid-configuration' };
  const waiting = new PageReader(forge).get('/user/oauth2/corp');

  const reader = new PageReader(forge);
  await signInAt(up, reader, { sub: 'bob', preferred_username: 'bob' }, '/user/oauth2/up');
  assert.equal(await isSignedIn(reader), true);
  await new PageReader(forge).signIn(ada);

  await down.stop();
  const answer = await waiting;
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('retry-after'), '5');
  assert.match(answer.text, /cannot be reached at the moment/);
});

test('sign-ins that wait for a provider end with it, and no one else waits', async (t) => {
  const [slow, up] = [await startProvider(t), await startProvider(t)];
  const forge = await startForgeWith(t, [
    providerSettings(slow),
    providerSettings(up, { ...AUTOMATIC, name: 'up' }),
  ]);
  slow.faults = { silent: '/token' };
  const waiting = Array.from({ length: 6 }, () => signInAt(slow, new PageReader(forge), ADA));
  // At most four of one network.
  await until(async () => slow.asked.filter((path) => path === '/token').length === 4);

  const reader = new PageReader(forge);
  await signInAt(up, reader, { sub: 'bob', preferred_username: 'bob' }, '/user/oauth2/up');
  assert.equal(await isSignedIn(reader), true);

  await slow.stop();
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 503);
});
