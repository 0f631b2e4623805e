import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';

const rename = (name: string) => `/api/v1/admin/users/${name}/rename`;

test('the former name of a user redirects: 301 for GET and HEAD, 307 for other methods; tokens and git keep working', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true, auto_init: true });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);

  const renamed = await forge.root.post(rename('ADA'), { new_username: 'Lovelace' });

  assert.deepEqual([renamed.status, renamed.text], [204, '']);
  assert.equal((await ada.get('/api/v1/user')).body.login, 'Lovelace');
  const redirectOf = async (method: string, path: string) => {
    const answer = await ada.send(method, path);
    return [answer.status, answer.headers.get('location')];
  };
  assert.deepEqual(await redirectOf('GET', '/api/v1/users/Ada'), [301, '/api/v1/users/Lovelace']);
  assert.deepEqual(await redirectOf('HEAD', '/api/v1/repos/ada/engine?x=1'), [
    301,
    '/api/v1/repos/Lovelace/engine?x=1',
  ]);
  assert.deepEqual(await redirectOf('DELETE', '/api/v1/repos/ada/engine'), [
    307,
    '/api/v1/repos/Lovelace/engine',
  ]);
  assert.deepEqual(await redirectOf('GET', '/ada/engine.git/info/refs?service=git-upload-pack'), [
    301,
    '/Lovelace/engine.git/info/refs?service=git-upload-pack',
  ]);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'Afterwards']);
  await git(folder, ['push', '-q', 'origin', 'HEAD']);
  await git(folder, ['fetch', '-q']);
});

test('a rename to an invalid or taken name changes nothing', async (t) => {
  const forge = await startForge(t);
  await forge.account('ada');
  await forge.account('ben');
  await forge.root.post('/api/v1/orgs', { username: 'guild' });
  const bad = [
    'BEN',
    'guild',
    'api',
    '..',
    'a/b',
    'a%2fb',
    'a\0b',
    'a\u202eb',
    'x'.repeat(41),
    '',
    'a.keys',
    1,
    null,
  ];
  for (const new_username of bad) {
    assert.equal((await forge.root.post(rename('ada'), { new_username })).status, 422, String(new_username));
  }
  assert.equal((await forge.root.post(rename('guild'), { new_username: 'x' })).status, 422);
  assert.equal((await forge.root.post(rename('missing'), { new_username: 'x' })).status, 404);
  assert.equal((await forge.root.get('/api/v1/users/ada')).status, 200);
});

test('of concurrent renames to one name, one succeeds', async (t) => {
  const forge = await startForge(t);
  for (const name of ['ada', 'ben', 'cleo']) await forge.account(name);

  const people = ['ada', 'ben', 'cleo'];
  const answers = await Promise.all(
    people.map((name) => forge.root.post(rename(name), { new_username: 'Same' })),
  );

  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422, 422]);
  const { body } = await forge.root.get('/api/v1/admin/users');
  assert.deepEqual(
    body.map(({ login }: { login: string }) => login).sort(),
    ['Same', 'root', ...people.filter((_, index) => answers[index]?.status !== 204)].sort(),
  );
});

test('changing only the case creates no redirect, and a reused former name stops redirecting', async (t) => {
  const forge = await startForge(t);
  await forge.account('ada');
  const { root } = forge;

  assert.equal((await root.post(rename('ada'), { new_username: 'ADA' })).status, 204);
  assert.equal((await root.get('/api/v1/users/ada')).body.login, 'ADA');
  await root.post(rename('ada'), { new_username: 'lovelace' });
  assert.equal((await root.get('/api/v1/users/ada')).status, 301);
  await forge.account('ada', { email: 'another@example.org' });
  const { body } = await root.get('/api/v1/users/ada');
  assert.equal(body.login, 'ada');
  await root.delete('/api/v1/admin/users/ada');
  assert.equal((await root.get('/api/v1/users/ada')).status, 404);
});

test('B7: the former name of a hidden user and the former path of its repository reveal nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada', { visibility: 'private' });
  const eve = await forge.account('eve');
  await ada.repository('engine');
  await forge.root.post(rename('ada'), { new_username: 'lovelace' });

  for (const path of ['/api/v1/users/ada', '/api/v1/repos/ada/engine', '/api/v1/users/ada/repos']) {
    const answer = await eve.get(path);
    assert.deepEqual([answer.status, answer.headers.get('location')], [404, null], path);
  }
  const anonymous = await forge.get('/ada/engine.git/info/refs?service=git-upload-pack');
  assert.deepEqual([anonymous.status, anonymous.headers.get('location')], [401, null]);
});

test('F4: a redirect stays on this server, despite host headers and query parameters', async (t) => {
  const forge = await startForge(t, { settings: { allowedHosts: 'evil.example' } });
  const ada = await forge.account('ada');
  await forge.root.post(rename('ada'), { new_username: 'lovelace' });

  for (const [path, location] of [
    ['/api/v1/users/%61da', '/api/v1/users/lovelace'],
    ['/api/v1/users/ada?next=//evil.example', '/api/v1/users/lovelace?next=//evil.example'],
    ['/api/v1/users/ada/tokens', '/api/v1/users/lovelace/tokens'],
  ] as const) {
    const answer = await ada.get(path, {
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    });
    assert.equal(answer.headers.get('location'), location);
  }
});

test('an account that owns something is deleted only with purge, together with its property', async (t) => {
  const forge = await startForge(t);
  const { root } = forge;
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  await ada.post('/api/v1/orgs', { username: 'own' });
  await ada.post('/api/v1/orgs/own/repos', { name: 'theirs' });
  await ada.post('/api/v1/orgs', { username: 'shared' });
  const [owners] = (await ada.get('/api/v1/orgs/shared/teams')).body;
  await ada.put(`/api/v1/teams/${owners.id}/members/ben`);
  await ada.post('/api/v1/orgs/shared/repos', { name: 'joint' });

  assert.equal((await root.delete('/api/v1/admin/users/ada')).status, 422);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 200);
  assert.equal((await root.delete('/api/v1/admin/users/ada?purge=true')).status, 204);

  const statuses = ['users/ada', 'repos/ada/engine', 'orgs/own', 'repos/own/theirs'].map(
    async (path) => (await root.get(`/api/v1/${path}`)).status,
  );
  assert.deepEqual(await Promise.all(statuses), [404, 404, 404, 404]);
  assert.equal((await ben.get('/api/v1/repos/shared/joint')).status, 200);
  assert.deepEqual((await ben.get('/api/v1/orgs/shared/members')).body.length, 1);
  assert.equal((await ada.get('/api/v1/user')).status, 401);
  assert.equal((await root.delete('/api/v1/admin/users/root?purge=true')).status, 422);
});

test('a user who belongs to organizations and owns nothing is deleted without purge', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await forge.account('ben');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const { id } = (await ada.post('/api/v1/orgs/guild/teams', { name: 'readers' })).body;
  await ada.put(`/api/v1/teams/${id}/members/ben`);

  assert.equal((await forge.root.delete('/api/v1/admin/users/ben')).status, 204);
  assert.deepEqual((await ada.get(`/api/v1/teams/${id}/members`)).body, []);
  assert.equal((await ada.get('/api/v1/orgs/guild/members')).body.length, 1);
});
