import assert from 'node:assert/strict';
import test from 'node:test';
import { passwordOf, ROOT, startWho } from '../../support/forge/who.ts';

test('A13: an administrator can act as another account, by header and by query', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const token = await who.token('root');

  for (const as of [ROOT, { token }]) {
    const byHeader = await who.send('GET', '/user', { as, headers: { sudo: 'ADA' } });
    const byQuery = await who.send('GET', '/user?sudo=ada', { as });
    const asAda = await who.send('POST', '/admin/users', {
      as,
      headers: { sudo: 'ada' },
      json: { username: 'eve', email: 'eve@example.org', password: 'let me in now' },
    });

    assert.deepEqual([byHeader.body.login, byQuery.body.login], ['ada', 'ada']);
    assert.equal(asAda.status, 403);
  }
});

test('A13: a caller who is not an administrator cannot act as another account', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const callers = {
    'an ordinary user': { as: passwordOf('ada') },
    'a token of an ordinary user': { as: { token: await who.token('ada') } },
    "an administrator's token without write:admin": {
      as: { token: await who.token('root', ['write:user', 'read:admin']) },
    },
    'an anonymous caller': {},
  };
  for (const [what, credentials] of Object.entries(callers)) {
    for (const target of ['root', 'ada', 'missing']) {
      const answer = await who.send('GET', '/users/root', { ...credentials, headers: { sudo: target } });

      assert.equal(answer.status, 403, what);
      assert.deepEqual(Object.keys(answer.body), ['message']);
    }
  }
});

test('A13: acting as a missing or disabled account is rejected', async (t) => {
  const who = await startWho(t);
  await who.account('off');
  await who.accounts.editUser('operator', 'off', { isLoginProhibited: true });

  const asMissing = await who.send('GET', '/user', { as: ROOT, headers: { sudo: 'missing' } });
  const asDisabled = await who.send('GET', '/user', { as: ROOT, headers: { sudo: 'off' } });
  const asEmpty = await who.send('GET', '/user', { as: ROOT, headers: { sudo: '' } });

  assert.deepEqual([asMissing.status, asDisabled.status], [404, 403]);
  assert.equal(asEmpty.body.login, 'root');
});

test('A13: acting as another account keeps the scopes of the credential', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const token = await who.token('root', ['write:admin']);
  const publicOnly = await who.token('root', ['write:admin', 'read:user', 'public-only']);
  await who.account('ben', { visibility: 'private' });

  const narrow = await who.send('GET', '/user', { as: { token }, headers: { sudo: 'ada' } });
  const hidden = await who.send('GET', '/user', { as: { token: publicOnly }, headers: { sudo: 'ben' } });
  const created = await who.send('POST', '/users/ada/tokens', {
    as: { token: await who.token('root') },
    headers: { sudo: 'ada' },
    json: { name: 'x', scopes: ['all'] },
  });

  assert.deepEqual([narrow.status, hidden.status, created.status], [403, 404, 401]);
});

test('A13: the git wire ignores requests to act as another account', async (t) => {
  const who = await startWho(t);
  await who.account('ada');

  const byHeader = await who.send('GET', '/git/who', { as: ROOT, headers: { sudo: 'ada' } });
  const byQuery = await who.send('GET', '/git/who?sudo=ada', { as: passwordOf('ada') });

  assert.equal(byHeader.body.name, 'root');
  assert.equal(byQuery.status, 200);
});
