import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder, tryGit } from '../../support/git/git.ts';

const make = (forge: TestForge, person: Person, body: Record<string, unknown>) =>
  forge.send('POST', `/api/v1/users/${person.name}/tokens`, {
    as: { name: person.name, password: person.password },
    json: { name: `token-${JSON.stringify(body).length}`, scopes: ['all'], ...body },
  });

async function limited(forge: TestForge, person: Person, ...repositories: string[]): Promise<string> {
  const created = await make(forge, person, { name: repositories.join(' '), repositories });
  assert.equal(created.status, 201, created.text);
  return created.body.sha1;
}

test('a token can be limited to named repositories, and its record lists them', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('Ada');
  const engine = await ada.repository('Engine', { private: true });
  await ada.repository('other');

  const created = await make(forge, ada, { repositories: ['ada/engine', { owner: 'ADA', name: 'ENGINE' }] });

  assert.equal(created.status, 201);
  const meta = { id: engine.id, name: 'Engine', owner: 'Ada', full_name: 'Ada/Engine' };
  assert.deepEqual(created.body.repositories, [meta]);
  const { body } = await ada.get('/api/v1/users/ada/tokens');
  assert.deepEqual(
    body.map(({ repositories }: { repositories: unknown }) => repositories),
    [null, [meta]],
  );
});

test('a limited token does not see any other repository, not even a public one, over the API or git', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  for (const name of ['engine', 'other']) await ada.repository(name, { private: true, auto_init: true });
  await ben.repository('open', { auto_init: true });
  const token = await limited(forge, ada, 'ada/engine');
  const folder = await temporaryFolder(t);

  for (const as of [
    { token },
    { name: 'ada', password: token },
    { name: token, password: 'x-oauth-basic' },
  ]) {
    const status = async (path: string) => (await forge.send('GET', path, { as })).status;
    assert.equal(await status('/api/v1/repos/ada/engine'), 200);
    assert.equal(await status('/api/v1/repos/ada/engine/contents/README.md'), 200);
    assert.equal(await status('/api/v1/repos/ada/other'), 404);
    assert.equal(await status('/api/v1/repos/ben/open'), 404);
    assert.equal(await status('/ada/engine.git/info/refs?service=git-receive-pack'), 200);
    assert.equal(await status('/ada/other.git/info/refs?service=git-upload-pack'), 404);
    assert.equal(await status('/ben/open.git/info/refs?service=git-upload-pack'), 404);
  }
  const names = async (path: string) => {
    const { body } = await forge.send('GET', path, { as: { token } });
    return body.map(({ full_name }: { full_name: string }) => full_name);
  };
  assert.deepEqual(await names('/api/v1/user/repos'), ['ada/engine']);
  assert.deepEqual(await names('/api/v1/users/ada/repos'), ['ada/engine']);
  assert.deepEqual(await names('/api/v1/users/ben/repos'), []);
  const remote = (path: string) => `${forge.url.replace('://', `://ada:${token}@`)}/${path}.git`;
  await git(folder, ['clone', '-q', remote('ada/engine'), '.']);
  assert.notEqual((await tryGit(folder, ['ls-remote', remote('ada/other')])).exitCode, 0);
});

test('a limited token does not have the permissions of an administrator', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  await ada.repository('other', { private: true });
  await forge.account('hidden', { visibility: 'private' });
  const token = await limited(forge, forge.root, 'ada/engine');
  const send = async (method: string, path: string, options: { sudo?: string; json?: unknown } = {}) => {
    const headers = options.sudo === undefined ? {} : { sudo: options.sudo };
    return (await forge.send(method, `/api/v1${path}`, { as: { token }, headers, json: options.json }))
      .status;
  };

  assert.equal(await send('GET', '/admin/users'), 403);
  assert.equal(await send('POST', '/admin/users', { json: {} }), 403);
  assert.equal(await send('GET', '/user', { sudo: 'ada' }), 403);
  assert.equal(await send('GET', '/users/hidden'), 404);
  assert.equal(await send('GET', '/repos/ada/engine'), 404, 'visible only to an administrator');
  assert.equal(await send('GET', '/repos/ada/other'), 404);
});

test('a limited token changes only its repositories', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await forge.account('ben');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post('/api/v1/orgs/guild/repos', { name: 'handbook' });
  const { id } = (await ada.post('/api/v1/orgs/guild/teams', { name: 'readers' })).body;
  const token = await limited(forge, ada, 'guild/handbook');
  const changes: [method: string, path: string, body?: unknown][] = [
    ['POST', '/user/repos', { name: 'x' }],
    ['POST', '/orgs', { username: 'x' }],
    ['PATCH', '/user/settings', { location: 'x' }],
    ['POST', '/user/emails', { emails: ['x@example.org'] }],
    ['PATCH', '/orgs/guild', { location: 'x' }],
    ['DELETE', '/orgs/guild'],
    ['POST', '/orgs/guild/repos', { name: 'x' }],
    ['POST', '/orgs/guild/teams', { name: 'x' }],
    ['PATCH', `/teams/${id}`, { name: 'x' }],
    ['PUT', `/teams/${id}/members/ben`],
    ['PUT', `/teams/${id}/repos/guild/handbook`],
    ['PUT', '/orgs/guild/public_members/ada'],
    ['DELETE', '/users/ada/tokens/1'],
    ['POST', '/users/ada/tokens', { name: 'x', scopes: ['all'] }],
  ];
  for (const [method, path, json] of changes) {
    const { status } = await forge.send(method, `/api/v1${path}`, { as: { token }, json });
    assert.equal(status, 403, `${method} ${path}`);
  }
  const own = '/api/v1/repos/guild/handbook/contents/a.txt';
  assert.equal((await forge.send('POST', own, { as: { token }, json: { content: '' } })).status, 201);
});

test('a limited token follows its repository through a rename, and stays limited when it is deleted', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.repository('other');
  const as = { token: await limited(forge, ada, 'ada/engine') };

  await forge.root.post('/api/v1/admin/users/ada/rename', { new_username: 'lovelace' });
  assert.equal((await forge.send('GET', '/api/v1/repos/lovelace/engine', { as })).status, 200);
  await ada.delete('/api/v1/repos/lovelace/engine');
  await ada.repository('engine');

  assert.equal((await forge.send('GET', '/api/v1/repos/lovelace/engine', { as })).status, 404);
  assert.equal((await forge.send('GET', '/api/v1/repos/lovelace/other', { as })).status, 404);
  const { body } = await ada.get('/api/v1/users/lovelace/tokens');
  assert.deepEqual(body.at(-1).repositories, []);
});

test('a token cannot be limited to no repository or to repositories that its owner does not see', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ben.repository('secret', { private: true });
  const wrong: unknown[] = [
    [],
    ['ben/secret'],
    ['ada/nothing'],
    ['secret'],
    ['ben/secret/x'],
    ['/'],
    ['a\0/b'],
    ['ada/a\0b'],
    [1],
    [{ owner: 'ben' }],
    'ben/secret',
    Array.from({ length: 101 }, () => 'ada/x'),
  ];
  for (const repositories of wrong) {
    const { status } = await make(forge, ada, { repositories });
    assert.equal(status, 422, JSON.stringify(repositories)?.slice(0, 40));
  }
  assert.equal((await ada.get('/api/v1/users/ada/tokens')).body.length, 1);
});

test('B7: a token does not reveal a repository that its owner can no longer see', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ben.repository('secret', { private: true });
  await ben.put('/api/v1/repos/ben/secret/collaborators/ada', { permission: 'read' });
  const token = await limited(forge, ada, 'ben/secret');
  const see = async () => (await forge.send('GET', '/api/v1/repos/ben/secret', { as: { token } })).status;
  assert.equal(await see(), 200);

  await ben.delete('/api/v1/repos/ben/secret/collaborators/ada');

  assert.equal(await see(), 404);
  assert.deepEqual((await ada.get('/api/v1/users/ada/tokens')).body.at(-1).repositories, []);
});

test('a limited token finds notes only if their repository is among its own; otherwise they are missing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const base = '/index.php/apps/notes/api/v1/notes';
  const statuses = async (token: string, id: number) => {
    const found: number[] = [];
    for (const [method, path] of [
      ['GET', base],
      ['GET', `${base}/${id}`],
      ['POST', base],
      ['PUT', `${base}/${id}`],
    ] as const) {
      const json = method === 'GET' ? {} : { json: { title: `${method} ${path}` } };
      found.push((await forge.send(method, path, { as: { token }, ...json })).status);
    }
    return found;
  };
  const elsewhere = await limited(forge, ada, 'ada/engine');

  assert.deepEqual(await statuses(elsewhere, 1), [404, 404, 404, 404]);
  assert.equal((await ada.get('/api/v1/repos/ada/Notes')).status, 404, 'no notebook was created');
  const { id } = (await ada.post(base, { title: 'n', content: 'text' })).body;
  assert.deepEqual(await statuses(elsewhere, id), [404, 404, 404, 404]);
  assert.equal((await forge.send('DELETE', `${base}/${id}`, { as: { token: elsewhere } })).status, 404);
  assert.deepEqual(await statuses(await limited(forge, ada, 'ada/Notes'), id), [200, 200, 200, 200]);
});
