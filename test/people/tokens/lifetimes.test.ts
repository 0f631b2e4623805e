import assert from 'node:assert/strict';
import test from 'node:test';
import { digestOfSecret, generateSecret, isSecret } from '../../../src/base/core/secrets.ts';
import { AUTHENTICATION_LIMITS } from '../../../src/people/authentication/limits.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';

const DAY_MS = 24 * 60 * 60_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().replace(/\.\d+/, '');

function create(forge: TestForge, ada: Person, json: Record<string, unknown>) {
  const as = { name: 'ada', password: ada.password };
  return forge.send('POST', '/api/v1/users/ada/tokens', { as, json: { scopes: ['all'], ...json } });
}

/** Moves times of all tokens of this name, in ms. */
async function moveTokens(forge: TestForge, name: string, ms: number): Promise<void> {
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) =>
    tx
      .updateTable('tokens')
      .set((of) => ({
        created_at: of('created_at', '+', ms),
        expires_at: of('expires_at', '+', ms),
        last_used_at: of('last_used_at', '+', ms),
      }))
      .where('name', '=', name)
      .execute(),
  );
}

test('an expired token gets 401 in each form and on each wire, and the message says why', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { status, body } = await create(forge, ada, { name: 'ci', expires_at: inDays(2) });
  const token = body.sha1;
  const url = '/api/v1/user';
  const forms = [
    () => forge.send('GET', url, { as: { token } }),
    () => forge.get(url, { headers: { authorization: `Bearer ${token}` } }),
    () => forge.send('GET', url, { as: { name: 'ada', password: token } }),
    () => forge.send('GET', url, { as: { name: token, password: 'x-oauth-basic' } }),
    () =>
      forge.send('GET', '/index.php/apps/notes/api/v1/settings', { as: { name: 'ada', password: token } }),
  ];

  assert.deepEqual([status, body.expires_at], [201, body.expires_at]);
  for (const send of forms.slice(0, 4)) assert.equal((await send()).status, 200);
  await moveTokens(forge, 'ci', -2 * DAY_MS - 1_000);

  for (const send of forms) {
    const answer = await send();
    assert.equal(answer.status, 401);
  }
  assert.equal((await forms[0]?.())?.body.message, 'the token has expired: create a new one');
  const listed = await ada.get('/api/v1/users/ada/tokens');
  assert.ok(listed.body.some(({ name }: { name: string }) => name === 'ci'));
});

test('422: an expiry in the past, later than the setting allows, or malformed', async (t) => {
  const forge = await startForge(t, { settings: { tokenDaysMax: '30' } });
  const ada = await forge.account('ada');

  for (const expires_at of ['2001-01-01T00:00:00Z', inDays(31), 'tomorrow', '2030-02-30T00:00:00Z'])
    assert.equal((await create(forge, ada, { name: 'x', expires_at })).status, 422, expires_at);
  const longest = await create(forge, ada, { name: 'longest', expires_at: null });
  const short = await create(forge, ada, { name: 'short', expires_at: inDays(1) });

  const left = Date.parse(longest.body.expires_at) - Date.now();
  assert.ok(left <= 30 * DAY_MS && left > 29 * DAY_MS);
  assert.equal(short.status, 201);
});

test('a list of tokens shows when each was last used', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const token = (await create(forge, ada, { name: 'ci' })).body.sha1;
  const { authentication } = forge.forge.running.services;
  const lastUse = async () => {
    await authentication.waitForWrites();
    const { body } = await ada.get('/api/v1/users/ada/tokens');
    return body.find(({ name }: { name: string }) => name === 'ci').last_used_at;
  };

  assert.equal(await lastUse(), null);
  await forge.send('GET', '/api/v1/user', { as: { token } });
  const first = await lastUse();
  assert.ok(Math.abs(Date.parse(first) - Date.now()) < DAY_MS);
  await moveTokens(forge, 'ci', 1_000 - AUTHENTICATION_LIMITS.lastSignInLagMs);
  const moved = await lastUse();
  await forge.send('GET', '/api/v1/user', { as: { token } });
  assert.equal(await lastUse(), moved);
  await moveTokens(forge, 'ci', -DAY_MS);
  await forge.send('GET', '/api/v1/user', { as: { token } });
  assert.ok(Date.parse(await lastUse()) >= Date.parse(first));
});

test('tokens are listed by a scope that they have, also as a part of another one, and by their repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await create(forge, ada, { name: 'reads', scopes: ['read:repository'] });
  await create(forge, ada, { name: 'writes', scopes: ['write:repository', 'read:user'] });
  await create(forge, ada, { name: 'engine', scopes: ['read:issue'], repositories: ['ada/engine'] });
  await create(forge, ada, { name: 'notes', scopes: ['notes-only'] });
  const namesOf = async (query: string, by: Person, path = '/users/ada') => {
    const { status, body, headers } = await by.get(`/api/v1${path}/tokens?${query}`);
    assert.equal(status, 200);
    assert.equal(headers.get('x-total-count'), String(body.length));
    return body.map(({ name }: { name: string }) => name);
  };

  assert.deepEqual(await namesOf('scope=read:repository', ada), ['everything', 'reads', 'writes']);
  assert.deepEqual(await namesOf('scope=write:repository', ada), ['everything', 'writes']);
  assert.deepEqual(await namesOf('scope=all', ada), ['everything']);
  assert.deepEqual(await namesOf('scope=notes-only', ada), ['notes']);
  assert.deepEqual(await namesOf('repository=ada/engine', ada), ['engine']);
  assert.deepEqual(await namesOf('repository=ADA/Engine&scope=read:issue', forge.root, '/admin/users/ada'), [
    'engine',
  ]);
  assert.equal((await ada.get('/api/v1/users/ada/tokens?scope=sudo')).status, 400);
  assert.equal((await ada.get('/api/v1/users/ada/tokens?repository=engine')).status, 422);
  assert.equal((await ada.get('/api/v1/users/ada/tokens?repository=root/secret')).status, 404);
});

test('tokens of earlier versions, 40 hexadecimal digits, still work', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const earlier = 'd446ba3fd446ba3fd446ba3fd446ba3fd446ba3f';
  const { database } = forge.forge.running.engines;
  await create(forge, ada, { name: 'old' });
  await database.transaction((tx) =>
    tx
      .updateTable('tokens')
      .set({ digest: digestOfSecret(earlier) })
      .where('name', '=', 'old')
      .execute(),
  );

  assert.equal((await forge.send('GET', '/api/v1/user', { as: { token: earlier } })).body.login, 'ada');
});

test('a secret has 40 characters: a prefix that names its kind, 160 random bits, and a checksum', () => {
  const secrets = Array.from({ length: 200 }, () => generateSecret('access-token'));
  const last = (text: string) => (text.endsWith('0') ? '1' : '0');

  for (const secret of secrets) {
    assert.match(secret, /^quirep_[0-9A-Za-z]{33}$/);
    assert.ok(isSecret(secret, ['access-token']));
    assert.ok(!isSecret(secret, ['app-password']));
    assert.ok(!isSecret(`quirea_${secret.slice(7)}`, ['app-password']));
    assert.ok(!isSecret(secret.slice(0, -1) + last(secret), ['access-token']));
    assert.ok(!isSecret(`${secret}0`, ['access-token']));
  }
  assert.equal(new Set(secrets).size, secrets.length);
  assert.match(generateSecret('app-password'), /^quirea_/);
});
