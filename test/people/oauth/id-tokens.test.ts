import assert from 'node:assert/strict';
import { createPublicKey, hash, verify } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { createClient, exchange, grantedCode, refresh, requestPath } from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';

function partsOf(token: string): readonly [header: Record<string, unknown>, claims: Record<string, unknown>] {
  const [header = '', claims = ''] = token.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return [read(header), read(claims)];
}

/** Verifies a token with the published keys, as a client does. */
async function isVerified(forge: TestForge, token: string): Promise<boolean> {
  const { keys } = (await forge.get('/login/oauth/keys')).body;
  const [{ kid }] = partsOf(token);
  const jwk = keys.find((key: { kid: string }) => key.kid === kid);
  if (jwk === undefined) return false;
  const [header, claims, signature = ''] = token.split('.');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'));
}

async function signInOf(t: Parameters<typeof startForge>[0]) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const answer = async (others: Record<string, string> = {}) => {
    const path = requestPath(client, { scope: 'openid email', ...others });
    const code = await grantedCode(reader, path);
    return (await exchange(forge, client, code)).body;
  };
  return { forge, ada, client, answer };
}

test('an id token names its issuer, client, user and nonce, and its signature is right', async (t) => {
  const { forge, ada, client, answer } = await signInOf(t);
  const { id: sub } = (await ada.get('/api/v1/user')).body;

  const body = await answer({ nonce: 'the nonce' });

  const [header, claims] = partsOf(body.id_token);
  assert.deepEqual([header.alg, header.typ], ['RS256', 'JWT']);
  assert.deepEqual(
    [claims.iss, claims.aud, claims.sub, claims.nonce, claims.email],
    [forge.url, client.clientId, String(sub), 'the nonce', 'ada@example.org'],
  );
  assert.equal(Number(claims.exp) - Number(claims.iat), 3600);
  assert.ok(Number(claims.auth_time) <= Number(claims.iat));
  const half = hash('sha256', body.access_token, 'buffer').subarray(0, 16);
  assert.equal(claims.at_hash, half.toString('base64url'));
  assert.equal(await isVerified(forge, body.id_token), true);
  const next = await refresh(forge, client, body.refresh_token);
  assert.equal(await isVerified(forge, next.body.id_token), true);
});

test('A16: an id token is no access token, whatever it says of itself', async (t) => {
  const { forge, answer } = await signInOf(t);
  const { id_token: token, access_token: access } = await answer();
  const [header, claims] = partsOf(token);
  const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const unsigned = `${encoded({ ...header, alg: 'none' })}.${encoded(claims)}.`;

  for (const sent of [token, unsigned, `${access}x`, access.slice(0, -1), 'quireo_'])
    for (const path of ['/api/v1/user', '/login/oauth/userinfo'])
      assert.equal((await forge.get(path, { headers: { authorization: `Bearer ${sent}` } })).status, 401);
});

test('a key signs for 90 days, and stays published until its last token ends', async (t) => {
  const { forge, answer } = await signInOf(t);
  const { database } = forge.forge.running.engines;
  const kids = async () =>
    (await forge.get('/login/oauth/keys')).body.keys.map((key: { kid: string }) => key.kid);
  const age = (days: number) =>
    database.transaction((tx) =>
      sql`update oauth_keys set created_at = created_at - ${days * 86_400_000},
        ends_at = ends_at - ${days * 86_400_000}`.execute(tx),
    );
  const first = await answer();
  assert.equal((await kids()).length, 1);
  await age(89);
  assert.equal(partsOf((await answer()).id_token)[0].kid, partsOf(first.id_token)[0].kid);

  await age(2);
  const second = await answer();

  assert.notEqual(partsOf(second.id_token)[0].kid, partsOf(first.id_token)[0].kid);
  assert.equal((await kids()).length, 2);
  assert.equal(await isVerified(forge, first.id_token), true);
  assert.equal(await isVerified(forge, second.id_token), true);
  await age(1);
  assert.deepEqual(await kids(), [partsOf(second.id_token)[0].kid]);
});

test('a key that the server cannot open is replaced', async (t) => {
  const { forge, answer } = await signInOf(t);
  await answer();
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) =>
    sql`update oauth_keys set kid = 'lost', sealed = 'v1.lost.x'`.execute(tx),
  );

  const { id_token: token } = await answer();

  assert.notEqual(partsOf(token)[0].kid, 'lost');
  assert.equal(await isVerified(forge, token), true);
});

test('the published keys have no private part', async (t) => {
  const { forge } = await signInOf(t);

  const { keys } = (await forge.get('/login/oauth/keys')).body;

  assert.deepEqual(Object.keys(keys[0]).toSorted(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
});

test('the discovery documents agree, and name the addresses of this server', async (t) => {
  const forge = await startForge(t);

  const openid = await forge.get('/.well-known/openid-configuration');
  const oauth = await forge.get('/.well-known/oauth-authorization-server');

  assert.deepEqual(oauth.body, openid.body);
  assert.equal(openid.body.issuer, forge.url);
  for (const [name, value] of Object.entries(openid.body))
    if (/_endpoint$|_uri$/.test(name)) assert.ok(String(value).startsWith(`${forge.url}/login/oauth/`), name);
});
