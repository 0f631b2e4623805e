import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import {
  createClient,
  exchange,
  GIT_CREDENTIAL_OAUTH,
  grantedCode,
  newProof,
  REDIRECT_URI,
  refresh,
  requestPath,
  sendForm,
  type TestClient,
  tokensFor,
} from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const MINUTE = 60_000;

interface Scene {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly client: TestClient;
  readonly reader: PageReader;
}

/** A user who is signed in, and a confidential client. */
async function startScene(t: Parameters<typeof startForge>[0]): Promise<Scene> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada, { redirect_uris: [REDIRECT_URI, `${REDIRECT_URI}/other`] });
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  return { forge, ada, client, reader };
}

async function works(forge: TestForge, token: string): Promise<boolean> {
  return (await forge.get('/api/v1/user', { as: { token } })).status === 200;
}

function errorOf({ status, body }: { status: number; body: { error?: string } }): readonly unknown[] {
  return [status, body.error];
}

const INVALID_GRANT = [400, 'invalid_grant'];

test('A16: a code is worth nothing to another client, and at another redirect address', async (t) => {
  const { forge, ada, client, reader } = await startScene(t);
  const other = await createClient(ada, { name: 'Other' });
  const code = await grantedCode(reader, requestPath(client));

  assert.deepEqual(errorOf(await exchange(forge, other, code)), INVALID_GRANT);
  for (const uri of [`${REDIRECT_URI}/other`, `${REDIRECT_URI}/`, 'https://evil.example/callback', ''])
    assert.deepEqual(errorOf(await exchange(forge, client, code, { redirect_uri: uri })), INVALID_GRANT, uri);

  assert.equal((await exchange(forge, client, code)).status, 200);
});

test('A16: a code needs the verifier of its challenge, and takes none without a challenge', async (t) => {
  const { forge, client, reader } = await startScene(t);
  for (const method of ['S256', 'plain']) {
    const { verifier, challenge } = newProof();
    const sent = method === 'S256' ? challenge : verifier;
    const path = requestPath(client, { code_challenge: sent, code_challenge_method: method });
    const code = await grantedCode(reader, path);
    assert.deepEqual(errorOf(await exchange(forge, client, code)), INVALID_GRANT);
    assert.deepEqual(
      errorOf(await exchange(forge, client, code, { code_verifier: challenge })),
      INVALID_GRANT,
    );
    assert.equal((await exchange(forge, client, code, { code_verifier: verifier })).status, 200);
  }
  const code = await grantedCode(reader, requestPath(client));
  const added = await exchange(forge, client, code, { code_verifier: newProof().verifier });
  assert.deepEqual(errorOf(added), INVALID_GRANT);
});

test('a verifier may be base64 with all of its letters, as older versions of git-credential-oauth send it', async (t) => {
  const { forge, client, reader } = await startScene(t);
  const verifier = `${'+/'.repeat(21)}A=`;
  const code_challenge = hash('sha256', verifier, 'base64url');
  const code = await grantedCode(
    reader,
    requestPath(client, { code_challenge, code_challenge_method: 'S256' }),
  );
  assert.equal((await exchange(forge, client, code, { code_verifier: verifier })).status, 200);
});

test('A16: a code that is used a second time ends what the first use has given', async (t) => {
  const { forge, client, reader } = await startScene(t);
  const code = await grantedCode(reader, requestPath(client));
  const { body } = await exchange(forge, client, code);
  assert.equal(await works(forge, body.access_token), true);

  assert.deepEqual(errorOf(await exchange(forge, client, code)), INVALID_GRANT);

  assert.equal(await works(forge, body.access_token), false);
  assert.deepEqual(errorOf(await refresh(forge, client, body.refresh_token)), INVALID_GRANT);
  const { database } = forge.forge.running.engines;
  const kinds = (await eventsOf(database, 'oauth-grant.')).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['oauth-grant.started', 'oauth-grant.ended']);
});

test('A16: of several uses of a code at once one wins, and its tokens end', async (t) => {
  const { forge, client, reader } = await startScene(t);
  const code = await grantedCode(reader, requestPath(client));

  const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(forge, client, code)));

  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.equal(await works(forge, won[0]?.body.access_token), false);
});

test('A16: a refresh token that is used a second time ends the whole grant', async (t) => {
  const { forge, client, reader } = await startScene(t);
  const first = await tokensFor(forge, client, { reader });
  const other = await tokensFor(forge, client, { reader });
  const second = await refresh(forge, client, first.refresh);
  assert.equal(second.status, 200);
  const third = await refresh(forge, client, second.body.refresh_token);
  assert.equal(third.status, 200);

  assert.deepEqual(errorOf(await refresh(forge, client, first.refresh)), INVALID_GRANT);

  for (const token of [first.access, second.body.access_token, third.body.access_token])
    assert.equal(await works(forge, token), false);
  assert.deepEqual(errorOf(await refresh(forge, client, third.body.refresh_token)), INVALID_GRANT);
  assert.equal(await works(forge, other.access), true, 'another grant of the same application goes on');
});

test('A16: of several uses of a refresh token at once at most one wins, and the grant ends', async (t) => {
  const { forge, client, reader } = await startScene(t);
  const tokens = await tokensFor(forge, client, { reader });

  const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(forge, client, tokens.refresh)));

  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(await works(forge, tokens.access), false);
});

test('A16: a refresh token is worth nothing to another client, and gives no more scopes', async (t) => {
  const { forge, ada, client, reader } = await startScene(t);
  const other = await createClient(ada, { name: 'Other' });
  const { refresh: token } = await tokensFor(forge, client, { reader, scope: 'read:user write:repository' });

  assert.deepEqual(errorOf(await refresh(forge, other, token)), INVALID_GRANT);
  for (const scope of ['write:user', 'all', 'read:user write:issue'])
    assert.deepEqual(errorOf(await refresh(forge, client, token, { scope })), [400, 'invalid_scope'], scope);
  const less = await refresh(forge, client, token, { scope: 'read:repository' });
  assert.deepEqual([less.status, less.body.scope], [200, 'read:repository']);
  assert.equal(await works(forge, less.body.access_token), false);
  const again = await refresh(forge, client, less.body.refresh_token);
  assert.equal(again.body.scope, 'read:user write:repository');
});

test('A16: a code and the tokens of a grant end with a new password, and with the account', async (t) => {
  const { forge, ada, client, reader } = await startScene(t);
  const change = async (fields: Record<string, unknown>) =>
    assert.equal((await forge.root.patch('/api/v1/admin/users/ada', fields)).status, 200);
  for (const [fields, undo] of [
    [{ password: 'a better horse' }, {}],
    [{ prohibit_login: true }, { prohibit_login: false }],
  ] as const) {
    const code = await grantedCode(reader, requestPath(client));
    const tokens = await tokensFor(forge, client, { reader });
    await change(fields);

    assert.equal(await works(forge, tokens.access), false);
    assert.deepEqual(errorOf(await exchange(forge, client, code)), INVALID_GRANT);
    assert.deepEqual(errorOf(await refresh(forge, client, tokens.refresh)), INVALID_GRANT);
    await change(undo);
    assert.equal(await works(forge, tokens.access), false, 'it does not come back');
    await reader.signIn({ ...ada, password: 'a better horse' });
  }
});

test('codes end after five minutes, access tokens after an hour, and refresh tokens after a month', async (t) => {
  const { forge, client, reader } = await startScene(t);
  const { database } = forge.forge.running.engines;
  const age = (ms: number) =>
    database.transaction(async (tx) => {
      await sql`update oauth_grants set ends_at = ends_at - ${ms}`.execute(tx);
      await sql`update oauth_tokens set ends_at = ends_at - ${ms}`.execute(tx);
    });
  const tokens = await tokensFor(forge, client, { reader });
  const code = await grantedCode(reader, requestPath(client));

  await age(4 * MINUTE);
  assert.equal(await works(forge, tokens.access), true);
  await age(MINUTE);
  assert.deepEqual(errorOf(await exchange(forge, client, code)), INVALID_GRANT);
  await age(56 * MINUTE);
  assert.equal(await works(forge, tokens.access), false);
  const next = await refresh(forge, client, tokens.refresh);
  assert.equal(next.status, 200);
  await age(30 * 24 * 60 * MINUTE);
  assert.deepEqual(errorOf(await refresh(forge, client, next.body.refresh_token)), INVALID_GRANT);
});

test('a client ends its own tokens, and no others', async (t) => {
  const { forge, ada, client, reader } = await startScene(t);
  const other = await createClient(ada, { name: 'Other' });
  const tokens = await tokensFor(forge, client, { reader });
  const revoke = (by: TestClient, token: string) => sendForm(forge, by, { token }, '/login/oauth/revoke');
  const inspect = (by: TestClient, token: string) =>
    sendForm(forge, by, { token }, '/login/oauth/introspect');

  assert.deepEqual((await inspect(other, tokens.access)).body, { active: false });
  assert.deepEqual((await inspect(client, ada.token)).body, { active: false });
  assert.equal((await inspect(client, tokens.refresh)).body.token_type, 'refresh_token');
  const open = { ...client, clientId: GIT_CREDENTIAL_OAUTH, secret: '' };
  assert.deepEqual(errorOf(await inspect(open, tokens.access)), [403, 'unauthorized_client']);
  for (const token of [tokens.access, tokens.refresh, 'missing', ada.token])
    assert.equal((await revoke(other, token)).status, 200);
  assert.equal(await works(forge, tokens.access), true);
  assert.equal(await works(forge, ada.token), true);

  await revoke(client, tokens.access);
  assert.equal(await works(forge, tokens.access), false);
  const next = await refresh(forge, client, tokens.refresh);
  await revoke(client, next.body.refresh_token);
  assert.equal(await works(forge, next.body.access_token), false);
});

test('an account has at most 20 codes that wait, and 50 grants of an application', async (t) => {
  const { forge, client, reader } = await startScene(t);
  const code = await grantedCode(reader, requestPath(client));
  for (const _ of Array.from({ length: 20 })) await grantedCode(reader, requestPath(client));
  assert.deepEqual(errorOf(await exchange(forge, client, code)), INVALID_GRANT);

  const first = await tokensFor(forge, client, { reader });
  for (const _ of Array.from({ length: 50 })) await tokensFor(forge, client, { reader });
  assert.equal(await works(forge, first.access), false);
});

test('no secret of a grant is in the database or in an event', async (t) => {
  const { forge, client, reader } = await startScene(t);
  const code = await grantedCode(reader, requestPath(client));
  const { body } = await exchange(forge, client, code);
  const { database } = forge.forge.running.engines;

  const rows = await Promise.all(
    (['oauth_applications', 'oauth_grants', 'oauth_tokens', 'oauth_keys', 'events'] as const).map((table) =>
      database.reader.selectFrom(table).selectAll().execute(),
    ),
  );

  const text = JSON.stringify(rows);
  for (const secret of [code, body.access_token, body.refresh_token, client.secret])
    assert.ok(!text.includes(secret) && secret.length > 20);
});
