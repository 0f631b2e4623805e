import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { passwordOf, startWho } from '../../support/forge/who.ts';

const pictureOf = (id: number) => createHash('sha256').update(`account ${id}`).digest('hex').slice(0, 32);

test('an account reads its complete record', async (t) => {
  const who = await startWho(t);
  const ada = await who.account('Ada', {
    email: 'ada@example.org',
    createdAt: Date.UTC(2026, 10, 21, 0, 24, 57, 900),
  });

  const self = await who.send('GET', '/user', { as: { token: await who.token('ada') } });

  assert.equal(self.status, 200);
  assert.equal(self.headers['content-type'], 'application/json;charset=utf-8');
  assert.deepEqual(self.body, {
    id: ada.id,
    login: 'Ada',
    login_name: '',
    source_id: 0,
    full_name: '',
    email: 'ada@example.org',
    avatar_url: `http://forge.example:3000/avatars/${pictureOf(ada.id)}`,
    html_url: 'http://forge.example:3000/Ada',
    language: '',
    is_admin: false,
    last_login: '1970-01-01T00:00:00Z',
    created: '2026-11-21T00:24:57Z',
    restricted: false,
    active: true,
    prohibit_login: false,
    location: '',
    pronouns: '',
    website: '',
    description: '',
    visibility: 'public',
    followers_count: 0,
    following_count: 0,
    starred_repos_count: 0,
    username: 'Ada',
  });
});

test('other users read a record without the fields reserved for the account itself and administrators', async (t) => {
  const who = await startWho(t);
  await who.account('Ada', { email: 'ada@example.org' });
  await who.account('ben');
  await who.send('GET', '/user', { as: passwordOf('Ada') });
  await who.authentication.waitForWrites();

  const byAnyone = await who.send('GET', '/users/ada');
  const byBen = await who.send('GET', '/users/ADA', { as: passwordOf('ben') });
  const byRoot = await who.send('GET', '/users/ada', { as: passwordOf('root') });

  assert.equal(byAnyone.body.email, 'ada@noreply.forge.example');
  assert.equal(byBen.body.email, 'ada@example.org');
  for (const { body } of [byAnyone, byBen]) {
    assert.equal(body.login, 'Ada');
    assert.equal(body.active, false);
    assert.equal(body.last_login, '0001-01-01T00:00:00Z');
  }
  assert.equal(byRoot.body.active, true);
  assert.notEqual(byRoot.body.last_login, '1970-01-01T00:00:00Z');
});

test('a private e-mail address is visible to the account itself and to administrators', async (t) => {
  const who = await startWho(t);
  await who.account('ada', { email: 'ada@example.org' });
  await who.account('ben');
  await who.accounts.editUser('operator', 'ada', { keepsEmailPrivate: true });

  const emailFor = async (name: string) =>
    (await who.send('GET', '/users/ada', { as: passwordOf(name) })).body.email;

  assert.equal(await emailFor('ben'), 'ada@noreply.forge.example');
  assert.equal(await emailFor('ada'), 'ada@example.org');
  assert.equal(await emailFor('root'), 'ada@example.org');
});

test('an anonymous caller cannot read its own record', async (t) => {
  const who = await startWho(t);

  const answer = await who.send('GET', '/user');

  assert.equal(answer.status, 401);
  assert.deepEqual(answer.body, {
    message: 'token is required',
    url: 'http://forge.example:3000/api/swagger',
  });
});

test('B7: a hidden account returns the same response as a missing one', async (t) => {
  const who = await startWho(t);
  for (const name of ['public', 'limited', 'private'] as const)
    await who.account(`${name}1`, { visibility: name });
  await who.account('ben');
  await who.account('rita', { isRestricted: true });
  const missing = await who.send('GET', '/users/missing');
  const statusesFor = async (name?: string) => {
    const statuses: number[] = [];
    for (const owner of ['public1', 'limited1', 'private1']) {
      const answer = await who.send(
        'GET',
        `/users/${owner}`,
        name === undefined ? {} : { as: passwordOf(name) },
      );
      if (answer.status === 404) assert.equal(answer.text, missing.text);
      statuses.push(answer.status);
    }
    return statuses;
  };

  assert.equal(missing.status, 404);
  assert.deepEqual(await statusesFor(), [200, 404, 404]);
  assert.deepEqual(await statusesFor('ben'), [200, 200, 404]);
  assert.deepEqual(await statusesFor('rita'), [200, 404, 404]);
  assert.deepEqual(await statusesFor('root'), [200, 200, 200]);
  assert.deepEqual(await statusesFor('private1'), [200, 200, 200]);
});

test('A4: a public-only token shows no limited or private account, not even its own', async (t) => {
  const who = await startWho(t);
  await who.account('ada', { visibility: 'private' });
  await who.account('ben', { visibility: 'limited' });
  for (const name of ['ada', 'root']) {
    const as = { token: await who.token(name, ['public-only', 'read:user', 'write:admin']) };

    const answers = [
      await who.send('GET', '/users/ben', { as }),
      await who.send('GET', '/users/ada', { as }),
      await who.send('GET', '/users/ada/tokens', { as }),
    ];

    assert.deepEqual(
      answers.map((answer) => answer.status),
      [404, 404, 404],
    );
  }
  const self = await who.send('GET', '/user', {
    as: { token: await who.token('ada', ['public-only', 'all']) },
  });
  assert.equal(self.status, 403);
  assert.doesNotMatch(self.text, /ada/);
});

test('names that no account can have return 404', async (t) => {
  const who = await startWho(t);
  for (const name of [
    '%00',
    'a%00b',
    '%F0%9F%92%A9',
    'a%2Fb',
    '..%2F',
    '-',
    'x'.repeat(5000),
    '%27%20or%201=1',
  ]) {
    const answer = await who.send('GET', `/users/${name}`);

    assert.equal(answer.status, 404, name);
  }
});
