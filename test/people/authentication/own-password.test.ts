import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAUTH_PROTOCOL } from '../../../src/people/oauth/actions.ts';
import { pathOf } from '../../api/access/probe.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { tryGit } from '../../support/git/git.ts';

const URL_PATH = '/api/v1/user/password';
const NEW = 'a better horse';

function change(forge: TestForge, { name, password, token }: Person, body: object, by = 'password') {
  const as = by === 'password' ? { name, password } : { token };
  return forge.send('PUT', URL_PATH, {
    as,
    json: { current_password: password, new_password: NEW, ...body },
  });
}

async function whoIs(forge: TestForge, as: { name: string; password: string } | { token: string }) {
  return (await forge.get('/api/v1/user', { as })).status;
}

test('users change their own password: the old one stops working at once, and tokens stay', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { name, password, token } = ada;
  assert.equal(await whoIs(forge, { name, password }), 200);

  assert.equal((await change(forge, ada, {})).status, 204);

  assert.equal(await whoIs(forge, { name, password }), 401);
  assert.equal(await whoIs(forge, { name, password: NEW }), 200);
  assert.equal(await whoIs(forge, { token }), 200);
});

test('a change of the password deletes all tokens of the account if it asks for that', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const other = await forge.account('grace');
  const scoped = await ada.tokenFor(['write:user']);

  assert.equal((await change(forge, ada, { delete_tokens: true }, 'token')).status, 204);

  for (const token of [ada.token, scoped]) assert.equal(await whoIs(forge, { token }), 401);
  assert.equal(await whoIs(forge, { name: 'ada', password: NEW }), 200);
  assert.equal(await whoIs(forge, { token: other.token }), 200);
});

test('A9: a change of the password needs the current one, and wrong ones count as failed sign-ins', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');

  const wrong = await change(forge, ada, { current_password: 'wrong horse' }, 'token');
  assert.deepEqual([wrong.status, wrong.body.message], [403, 'the current password is wrong']);
  const guesses = Array.from({ length: 20 }, (_, i) =>
    change(forge, ada, { current_password: `guess number ${i}` }, 'token'),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.ok(statuses.includes(429), String(statuses));
  assert.equal(await whoIs(forge, { name: 'ada', password: ada.password }), 200);
});

test('a new password must be usable and differ from the current one', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const [body, status] of [
    [{ new_password: 'short' }, 400],
    [{ new_password: ada.password }, 400],
    [{ new_password: 7 }, 422],
    [{ current_password: undefined }, 422],
  ] as const)
    assert.equal((await change(forge, ada, body)).status, status, JSON.stringify(body));
  assert.equal((await forge.send('PUT', URL_PATH, { json: {} })).status, 401);
  const reading = { token: await ada.tokenFor(['read:user']) };
  assert.equal((await forge.send('PUT', URL_PATH, { as: reading, json: {} })).status, 403);
});

test('of concurrent changes of one password, one wins', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const wanted = ['first horse', 'second horse', 'third horse'];
  const answers = await Promise.all(
    wanted.map((new_password) => change(forge, ada, { new_password }, 'token')),
  );

  const won = wanted.filter((_, index) => answers[index]?.status === 204);
  assert.equal(won.length, 1);
  for (const { status } of answers) assert.ok([204, 403, 409].includes(status), String(status));
  assert.equal(await whoIs(forge, { name: 'ada', password: won[0] ?? '' }), 200);
});

test('an account that must change its password can do nothing else, on any wire', async (t) => {
  const forge = await startForge(t, { baseUrl: 'http://forge.example' });
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  await forge.root.patch('/api/v1/admin/users/ada', { must_change_password: true });
  const { name, password, token } = ada;
  const message =
    'You must change your password. Change it at: http://forge.example/api/swagger (PUT /api/v1/user/password)';

  for (const as of [{ name, password }, { token }, { name, password: token }]) {
    for (const { method, url, action } of forge.forge.running.app.statedRoutes) {
      // There, a program sends its own credentials.
      if (action === OAUTH_PROTOCOL.exchange) continue;
      if (method === 'HEAD' || (method === 'PUT' && url === URL_PATH)) continue;
      const path = pathOf(url, { ':owner': 'ada', ':username': 'ada' });
      const { status, text } = await forge.send(method, path, { as });
      // Version 1 of the capabilities call answers every request with 200.
      assert.equal(status, path.startsWith('/ocs/v1.php/') ? 200 : 403, `${method} ${path}`);
      assert.ok(text.includes(message), `${method} ${path}: ${text}`);
    }
  }
  const remote = `${forge.url.replace('//', `//${name}:${token}@`)}/ada/engine.git`;
  const cloned = await tryGit('/', ['ls-remote', remote]);
  assert.notEqual(cloned.exitCode, 0);
  assert.match(cloned.stderr, /You must change your password/);

  assert.equal((await change(forge, ada, {})).status, 204);
  assert.equal(await whoIs(forge, { name, password: NEW }), 200);
  assert.equal(await whoIs(forge, { token }), 200);
});

test('a change of the password records the account, and that its tokens are gone', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { database } = forge.forge.running.engines;

  assert.equal((await change(forge, ada, { delete_tokens: true })).status, 204);

  assert.deepEqual(await eventsOf(database, 'account.changed'), [
    { kind: 'account.changed', actor: 'ada', changed: ['password'] },
  ]);
  const [gone] = await eventsOf(database, 'token.all-deleted');
  assert.equal(gone?.actor, 'ada');
});
