import assert from 'node:assert/strict';
import test from 'node:test';
import { PASSWORD_COST } from '../../../src/people/accounts/passwords/hash-password.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { passwordOf, ROOT, startWho, type Who } from '../../support/forge/who.ts';
import { StillClock } from '../../support/still-clock.ts';

function create(who: Who, name: string, json: unknown) {
  return who.send('POST', `/users/${name}/tokens`, { as: passwordOf(name), json });
}

test('a token is shown once and works until it is deleted', async (t) => {
  const who = await startWho(t);
  await who.account('ada');

  const created = await create(who, 'ada', {
    name: 'laptop',
    scopes: ['write:issue', 'read:user', 'read:user'],
  });
  const listed = await who.send('GET', '/users/ada/tokens', { as: passwordOf('ada') });
  const as = { token: created.body.sha1 };
  const before = await who.send('GET', '/user', { as });
  const deleted = await who.send('DELETE', `/users/ada/tokens/${created.body.id}`, { as: passwordOf('ada') });
  const after = await who.send('GET', '/user', { as });

  assert.equal(created.status, 201);
  assert.match(created.body.sha1, /^quirep_[0-9A-Za-z]{33}$/);
  assert.equal(created.body.token_last_eight, created.body.sha1.slice(-8));
  assert.deepEqual(created.body.scopes, ['write:issue', 'read:user']);
  assert.match(created.body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(listed.body, [{ ...created.body, sha1: '' }]);
  assert.deepEqual([created.body.expires_at, created.body.last_used_at], [null, null]);
  assert.equal(listed.headers['x-total-count'], '1');
  assert.deepEqual([before.status, deleted.status, after.status], [200, 204, 401]);
});

test('a token without scopes can be created, but is rejected by every route that needs a scope', async (t) => {
  const who = await startWho(t);
  await who.account('ada');

  const created = await create(who, 'ada', { name: 'bare' });
  const used = await who.send('GET', '/user', { as: { token: created.body.sha1 } });

  assert.equal(created.status, 201);
  assert.equal(created.body.scopes, null);
  assert.equal(used.status, 403);
  assert.match(used.body.message, /read:user/);
});

test('an invalid token request is rejected', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  await create(who, 'ada', { name: 'laptop', scopes: ['all'] });
  const refused: Record<string, [status: number, body: unknown]> = {
    'a name in use': [400, { name: 'laptop', scopes: ['all'] }],
    'an unknown scope': [400, { name: 'x', scopes: ['read:user', 'sudo'] }],
    'a scope named like an object property': [400, { name: 'x', scopes: ['constructor'] }],
    'no name': [422, { scopes: ['all'] }],
    'an empty name': [422, { name: '' }],
    'NUL in the name': [422, { name: 'a\0b' }],
    'a long name': [422, { name: 'x'.repeat(256) }],
    'a text instead of a list of scopes': [422, { name: 'x', scopes: 'all' }],
    'a limit in another format': [
      422,
      { name: 'x', scopes: ['all'], repositories: [{ owner: 'ada', name: 'e' }] },
    ],
  };
  for (const [what, [status, body]] of Object.entries(refused)) {
    assert.equal((await create(who, 'ada', body)).status, status, what);
  }
  const listed = await who.send('GET', '/users/ada/tokens', { as: passwordOf('ada') });
  assert.equal(listed.body.length, 1);
});

test('a list of tokens is paged', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  for (let i = 0; i < 3; i += 1) await who.token('ada');

  const page = await who.send('GET', '/users/ada/tokens?page=2&limit=2', { as: passwordOf('ada') });

  assert.equal(page.body.length, 1);
  assert.equal(page.headers['x-total-count'], '3');
  assert.match(String(page.headers.link), /users\/ada\/tokens\?limit=2&page=1>; rel="first"/);
});

test('a token to delete is looked up by id, then by name', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const first = (await create(who, 'ada', { name: 'first' })).body.id;
  const second = (await create(who, 'ada', { name: String(first) })).body.id;
  const names = async () => {
    const { body } = await who.send('GET', '/users/ada/tokens', { as: passwordOf('ada') });
    return body.map((token: { name: string }) => token.name);
  };
  const remove = async (token: string | number) =>
    (await who.send('DELETE', `/users/ada/tokens/${token}`, { as: passwordOf('ada') })).status;

  assert.equal(await remove(first), 204);
  assert.deepEqual(await names(), [String(first)]);
  assert.equal(await remove(first), 204);
  assert.deepEqual(await names(), []);
  for (const unknown of [first, second, 'first', '0', '99999999999999999999', '%00', '-1']) {
    assert.equal(await remove(unknown), 404, String(unknown));
  }
});

test('B1: a token cannot be deleted through another account', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  await who.account('ben');
  const created = await create(who, 'ada', { name: 'laptop', scopes: ['all'] });

  for (const token of [created.body.id, 'laptop']) {
    const own = await who.send('DELETE', `/users/ben/tokens/${token}`, { as: passwordOf('ben') });
    const others = await who.send('DELETE', `/users/ada/tokens/${token}`, { as: passwordOf('ben') });

    assert.deepEqual([own.status, others.status], [404, 403]);
  }
  const accepted = await who.send('GET', '/user', { as: { token: created.body.sha1 } });
  assert.equal(accepted.status, 200);
});

test('only administrators manage tokens of others', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  await who.account('ben', { visibility: 'private' });
  const json = { name: 'given', scopes: ['all'] };

  const byRoot = await who.send('POST', '/users/ada/tokens', { as: ROOT, json });
  const byBen = await who.send('POST', '/users/ada/tokens', { as: passwordOf('ben'), json });
  const ofHidden = await who.send('POST', '/users/ben/tokens', { as: passwordOf('ada'), json });
  const byAnyone = await who.send('POST', '/users/ada/tokens', { json });
  const listByBen = await who.send('GET', '/users/ada/tokens', { as: passwordOf('ben') });
  const listByRoot = await who.send('GET', '/users/ada/tokens', { as: ROOT });

  assert.deepEqual(
    [byRoot, byBen, ofHidden, byAnyone].map((one) => one.status),
    [201, 403, 404, 401],
  );
  assert.deepEqual([listByBen.status, listByRoot.status], [403, 200]);
  const self = await who.send('GET', '/user', { as: { token: byRoot.body.sha1 } });
  assert.equal(self.body.login, 'ada');
});

test('A5: a token cannot create a token, with any scopes and in any form of credential', async (t) => {
  const who = await startWho(t);
  const token = await who.token('root', ['all']);
  const forms = [{ token }, { name: 'root', password: token }, { name: token, password: '' }];
  for (const as of forms) {
    const answer = await who.send('POST', '/users/root/tokens', { as, json: { name: 'x', scopes: ['all'] } });

    assert.equal(answer.status, 401);
    assert.equal(answer.body.message, 'auth method not allowed');
  }
});

test('A7: the stored forms of passwords and tokens are not accepted as credentials', async (t) => {
  const who = await startWho(t, { clock: new StillClock(), passwordHashing: { cost: PASSWORD_COST } });
  await who.account('ada', { password: 'a password to find' });
  const created = await who.send('POST', '/users/ada/tokens', {
    as: { name: 'ada', password: 'a password to find' },
    json: { name: 'laptop', scopes: ['all'] },
  });
  const tables = ['accounts', 'tokens', 'events'] as const;

  const rows = await Promise.all(
    tables.map((table) => who.database.reader.selectFrom(table).selectAll().execute()),
  );
  const dump = JSON.stringify(rows);
  assert.doesNotMatch(dump, /a password to find/);
  assert.equal(dump.includes(created.body.sha1), false);
  assert.match(dump, /\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  for (const { digest, last_eight } of rows.flat().filter((row) => 'digest' in row)) {
    for (const text of [digest, last_eight, digest.slice(0, 40)]) await assertRejected(who, text);
  }
  for (const row of rows.flat()) {
    if ('password_hash' in row && row.password_hash !== null) await assertRejected(who, row.password_hash);
  }
});

async function assertRejected(who: Who, text: string): Promise<void> {
  for (const as of [{ name: 'ada', password: text }, { token: text }, { name: text, password: '' }]) {
    assert.equal((await who.send('GET', '/user', { as })).status, 401);
  }
}

test('site administrators list, create and delete tokens of others below /admin, with administration scopes', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const json = { name: 'given', scopes: ['read:user'] };
  const path = '/admin/users/ada/tokens';

  const created = await who.send('POST', path, { as: ROOT, json });
  const again = await who.send('POST', path, { as: ROOT, json });
  const listed = await who.send('GET', path, { as: { token: await who.token('root', ['read:admin']) } });

  assert.deepEqual([created.status, created.body.scopes, again.status], [201, ['read:user'], 400]);
  assert.equal((await who.send('GET', '/user', { as: { token: created.body.sha1 } })).body.login, 'ada');
  assert.deepEqual(listed.body, [{ ...created.body, sha1: '' }]);
  assert.equal(listed.headers['x-total-count'], '1');
  const byToken = { token: await who.token('root', ['write:admin']) };
  assert.equal((await who.send('DELETE', `${path}/given`, { as: byToken })).status, 204);
  assert.equal((await who.send('DELETE', `${path}/given`, { as: byToken })).status, 404);
  assert.deepEqual(
    (await eventsOf(who.database, 'token.')).map(({ kind, actor }) => [kind, actor]).slice(0, 1),
    [['token.created', 'root']],
  );
});

test('A5: a token cannot create a token below /admin, and ordinary users cannot reach tokens of others there', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const json = { name: 'given', scopes: ['all'] };
  const path = '/admin/users/ada/tokens';
  const cases = [
    [{ token: await who.token('root', ['all']) }, 401, 200],
    [{ token: await who.token('root', ['write:user']) }, 403, 403],
    [{ token: await who.token('ada', ['all']) }, 403, 403],
    [passwordOf('ada'), 403, 403],
    [undefined, 401, 401],
  ] as const;

  for (const [as, created, listed] of cases) {
    const options = as === undefined ? {} : { as };
    assert.equal((await who.send('POST', path, { ...options, json })).status, created);
    assert.equal((await who.send('GET', path, options)).status, listed);
  }
  for (const name of ['nobody', '%00', 'x'.repeat(300)]) {
    assert.equal((await who.send('POST', `/admin/users/${name}/tokens`, { as: ROOT, json })).status, 404);
  }
});
