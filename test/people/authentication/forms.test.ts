import assert from 'node:assert/strict';
import test from 'node:test';
import { readAuthorization } from '../../../src/people/authentication/credentials.ts';
import { passwordOf, startWho, type Who, type WhoAnswer } from '../../support/forge/who.ts';

function basic(login: string, password: string): string {
  return `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
}

/** Every form in which clients send a token. */
function formsOf(token: string, name: string): Record<string, string> {
  return {
    Bearer: `Bearer ${token}`,
    bearer: `bearer ${token}`,
    token: `token ${token}`,
    TOKEN: `TOKEN ${token}`,
    'as the password': basic(name, token),
    'as the password, with any name': basic('anything', token),
    'as the password, without a name': basic('', token),
    'as the name': basic(token, ''),
    'as the name, with x-oauth-basic as the password': basic(token, 'x-oauth-basic'),
  };
}

function on(who: Who, path: string, authorization: string): Promise<WhoAnswer> {
  return who.send('GET', path, { headers: { authorization } });
}

test('A1: a token has the same rights in every form of credential', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const cases = [
    { scopes: ['all'], user: 200, git: 200 },
    { scopes: ['read:user'], user: 200, git: 403 },
    { scopes: ['write:repository'], user: 403, git: 200 },
    { scopes: [], user: 403, git: 403 },
    { scopes: ['public-only'], user: 403, git: 403 },
  ];
  for (const { scopes, user, git } of cases) {
    const token = await who.token('ada', scopes);
    for (const [form, authorization] of Object.entries(formsOf(token, 'ada'))) {
      const api = await on(who, '/user', authorization);
      const wire = await on(who, '/git/who', authorization);

      assert.deepEqual([api.status, wire.status], [user, git], `${scopes} ${form}`);
      if (git === 200) {
        const { scopes: granted, ...viewer } = wire.body;
        assert.deepEqual(granted, scopes);
        assert.deepEqual([viewer.name, viewer.credential, viewer.publicOnly], ['ada', 'token', false]);
      }
    }
  }
});

test('A1: a public-only token stays public-only in every form of credential', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const token = await who.token('ada', ['public-only', 'read:repository']);
  for (const [form, authorization] of Object.entries(formsOf(token, 'ada'))) {
    assert.equal((await on(who, '/git/who', authorization)).body.publicOnly, true, form);
  }
});

test('A1: an unknown scope grants nothing', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const token = await who.token('ada', ['all']);
  await who.database.transaction((tx) =>
    tx.updateTable('tokens').set({ scopes: 'everything,read:*' }).executeTakeFirst(),
  );

  assert.equal((await on(who, '/user', `token ${token}`)).status, 403);
});

test('a password works with the name and with the e-mail address, in upper or lower case', async (t) => {
  const who = await startWho(t);
  await who.account('Ada', { email: 'Ada@example.org', password: 'pass:wörd ' });

  for (const login of ['Ada', 'ada', 'ADA', 'ada@EXAMPLE.org']) {
    for (const path of ['/user', '/git/who']) {
      const answer = await on(who, path, basic(login, 'pass:wörd '));

      assert.equal(answer.status, 200, `${login} ${path}`);
      assert.equal(answer.body.login ?? answer.body.name, 'Ada', `${login} ${path}`);
    }
  }
});

test('all wrong credentials get the same message, also on public routes', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  await who.account('off');
  await who.accounts.editUser('operator', 'off', { isActive: false });
  const token = await who.token('ada');
  const wrong: Record<string, string> = {
    'a wrong password': basic('ada', 'pw of ben'),
    'no password': basic('ada', ''),
    'an unknown name': basic('missing', 'pw of ada'),
    'an unknown e-mail address': basic('missing@example.org', 'pw of ada'),
    'NUL in the name': basic('a\0da', 'pw of ada'),
    'NUL in the e-mail address': basic('a\0da@example.org', 'pw of ada'),
    'a wrong password of a disabled account': basic('off', 'pw of ada'),
    'an unknown token': `token ${'0'.repeat(40)}`,
    'a token in upper case': `token ${token.toUpperCase()}`,
    'half of a token': `token ${token.slice(0, 20)}`,
    'a password as a token': 'token pw of ada',
    'no token': 'token',
    'an unknown scheme': `Negotiate ${token}`,
    'no scheme': token,
    'no colon': `Basic ${Buffer.from('ada').toString('base64')}`,
    'no base64': 'Basic ada:pw',
    nothing: '',
  };
  for (const [what, authorization] of Object.entries(wrong)) {
    const api = await on(who, '/users/ada', authorization);
    const git = await on(who, '/git/who', authorization);

    assert.deepEqual([api.status, git.status], [401, 401], what);
    assert.equal(api.body.message, 'invalid user name, password or token', what);
    assert.equal(api.headers['www-authenticate'], undefined);
    assert.match(String(git.headers['www-authenticate']), /^Basic realm=/);
  }
});

test('A6: a token in the query grants nothing', async (t) => {
  const who = await startWho(t);
  const token = await who.token('root');
  for (const name of ['token', 'access_token']) {
    assert.equal((await who.send('GET', `/user?${name}=${token}`)).status, 401);
  }
});

test('A12: proxy headers do not identify a caller', async (t) => {
  const who = await startWho(t);
  for (const header of ['x-webauth-user', 'x-forwarded-user', 'remote-user', 'x-remote-user']) {
    assert.equal((await who.send('GET', '/user', { headers: { [header]: 'root' } })).status, 401, header);
  }
});

test('A11: disabling an account disables its password and tokens at once, on every wire', async (t) => {
  const who = await startWho(t);
  const states = [{ isActive: false }, { isActive: true, isLoginProhibited: true }];
  await who.account('ben');
  const forms = [passwordOf('ben'), { token: await who.token('ben') }];
  const statuses = async () => {
    const answers: WhoAnswer[] = [];
    for (const as of forms)
      for (const path of ['/user', '/users/root', '/git/who'])
        answers.push(await who.send('GET', path, { as }));
    return answers;
  };
  assert.deepEqual(
    (await statuses()).map((answer) => answer.status),
    Array(6).fill(200),
  );

  for (const state of states) {
    await who.accounts.editUser('operator', 'ben', state);

    const answers = await statuses();
    assert.deepEqual(
      answers.map((answer) => answer.status),
      Array(6).fill(403),
    );
    assert.deepEqual(answers[0]?.body, { message: 'the account is disabled' });
  }
  await who.accounts.editUser('operator', 'ben', { isActive: true, isLoginProhibited: false });
  assert.deepEqual(
    (await statuses()).map((answer) => answer.status),
    Array(6).fill(200),
  );
});

test('A14: an anonymous caller can change nothing on a fresh server', async (t) => {
  const who = await startWho(t);
  const writes = [
    ['POST', '/admin/users', { username: 'eve', email: 'eve@example.org', password: 'let me in now' }],
    ['PATCH', '/admin/users/root', { password: 'let me in now' }],
    ['DELETE', '/admin/users/root', undefined],
    ['POST', '/users/root/tokens', { name: 'x', scopes: ['all'] }],
    ['DELETE', '/users/root/tokens/1', undefined],
    ['POST', '/user', {}],
    ['POST', '/users', { username: 'eve' }],
  ] as const;
  for (const [method, path, json] of writes) {
    const { status } = await who.send(method, path, { json });

    assert.ok([401, 404, 405].includes(status), `${method} ${path}: ${status}`);
  }
  assert.equal((await who.accounts.listUsers('operator', { page: 1, limit: 50 })).total, 1);
});

test('the Authorization header is parsed as the standards define', () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  assert.deepEqual(readAuthorization(undefined), { kind: 'none' });
  assert.deepEqual(readAuthorization('bEaReR   abc'), { kind: 'token', token: 'abc' });
  assert.deepEqual(readAuthorization(`basic ${encoded('a:b:c')}`), {
    kind: 'basic',
    login: 'a',
    password: 'b:c',
  });
  assert.deepEqual(readAuthorization(`Basic ${encoded(':')}`), { kind: 'none' });
  const forUrls = encoded('ada:>>>???').replaceAll('+', '-').replaceAll('/', '_');
  assert.deepEqual(readAuthorization(`Basic ${forUrls}`), {
    kind: 'basic',
    login: 'ada',
    password: '>>>???',
  });
});
