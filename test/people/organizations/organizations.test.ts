import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { names, startGuild } from '../../support/forge/organizations.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';

const NEW = { username: 'Guild', full_name: 'The Guild' };

test('the creator of an organization owns it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');

  const created = await ada.post('/api/v1/orgs', {
    ...NEW,
    email: 'guild@example.org',
    description: 'Weavers',
    website: 'https://example.org',
    location: 'here',
    visibility: 'limited',
    repo_admin_change_team_access: true,
  });

  assert.equal(created.status, 201);
  assert.match(created.body.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.match(created.body.avatar_url, new RegExp(`^${forge.url}/avatars/[0-9a-f]{32}$`));
  assert.deepEqual(created.body, {
    id: created.body.id,
    name: 'Guild',
    full_name: 'The Guild',
    email: 'guild@example.org',
    avatar_url: created.body.avatar_url,
    description: 'Weavers',
    website: 'https://example.org',
    location: 'here',
    visibility: 'limited',
    repo_admin_change_team_access: true,
    team_admin_delete_repos: false,
    require_second_factor: false,
    created: created.body.created,
    username: 'Guild',
  });
  assert.deepEqual((await ada.get('/api/v1/orgs/gUILD')).body, created.body);
  assert.deepEqual((await ada.get('/api/v1/user/orgs')).body, [created.body]);
  assert.deepEqual((await ada.get('/api/v1/users/ada/orgs/guild/permissions')).body, {
    is_owner: true,
    is_admin: true,
    can_write: true,
    can_read: true,
    can_create_repository: true,
  });
  assert.equal((await forge.root.get('/api/v1/users/guild')).body.login, 'Guild');
});

test('an organization cannot take the name of a user or organization, in any case', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.post('/api/v1/orgs', NEW);

  for (const username of ['guild', 'GUILD', 'Ada']) {
    assert.equal((await ada.post('/api/v1/orgs', { username })).status, 422, username);
  }
  const account = { username: 'guild', email: 'g@example.org', password: 'a long password' };
  assert.equal((await forge.root.post('/api/v1/admin/users', account)).status, 422);
});

test('H8: of concurrent creations of organizations with the same name, one succeeds and has one team of owners', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];

  const created = await Promise.all(
    [ada, ben, ada, ben].map((person, index) =>
      person.post('/api/v1/orgs', { username: index % 2 === 0 ? 'guild' : 'Guild' }),
    ),
  );

  assert.deepEqual(created.map((answer) => answer.status).sort(), [201, 422, 422, 422]);
  assert.equal((await forge.root.get('/api/v1/orgs/guild/teams')).body.length, 1);
  assert.equal((await forge.root.get('/api/v1/orgs/guild/members')).body.length, 1);
});

test('C1: the fields of a new organization are strictly typed', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const bad: Record<string, unknown> = {
    nothing: undefined,
    'an empty body': {},
    'an empty name': { username: '' },
    'a list': { username: ['guild'] },
    'a number': { username: 1 },
    'a reserved name': { username: 'Admin' },
    'a path': { username: 'a/b' },
    'a path to the parent folder': { username: '..' },
    'dots in a row': { username: 'a..b' },
    'an escaped slash': { username: 'a%2fb' },
    NUL: { username: 'a\0b' },
    'a right-to-left override': { username: 'a\u202eb' },
    'a reserved ending': { username: 'a.keys' },
    'a long name': { username: 'x'.repeat(41) },
    'another alphabet': { username: 'gіld' },
    'an unknown visibility': { username: 'guild', visibility: 'secret' },
    'a website that a browser would execute': { username: 'guild', website: 'javascript:alert(1)' },
    'an invalid address': { username: 'guild', email: 'guild' },
    'a line break': { username: 'guild', full_name: 'a\nb' },
    'a long description': { username: 'guild', description: 'x'.repeat(256) },
    'a text instead of a boolean': { username: 'guild', repo_admin_change_team_access: 'yes' },
  };
  for (const [what, body] of Object.entries(bad)) {
    assert.equal((await ada.post('/api/v1/orgs', body)).status, 422, what);
  }
  assert.deepEqual((await forge.root.get('/api/v1/orgs')).body, []);
});

test('only users with the permission create organizations, and administrators create them only for users', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await forge.root.patch('/api/v1/admin/users/ada', { allow_create_organization: false });

  assert.equal((await ada.post('/api/v1/orgs', NEW)).status, 403);
  assert.equal((await forge.send('POST', '/api/v1/orgs', { json: NEW })).status, 401);

  const created = await forge.root.post('/api/v1/admin/users/ada/orgs', NEW);
  assert.equal(created.status, 201);
  assert.deepEqual(names((await ada.get('/api/v1/user/orgs')).body), ['The Guild']);
  assert.equal((await forge.root.get('/api/v1/orgs/guild/members/root')).status, 404);
  assert.equal((await ada.post('/api/v1/admin/users/ada/orgs', { username: 'x' })).status, 403);
  assert.equal((await forge.root.post('/api/v1/admin/users/guild/orgs', { username: 'x' })).status, 422);
  assert.equal((await forge.root.post('/api/v1/admin/users/nobody/orgs', { username: 'x' })).status, 404);
});

test('owners change an organization; fields not sent stay the same', async (t) => {
  const guild = await startGuild(t, { email: 'guild@example.org' });
  const ben = await guild.forge.account('ben');
  await guild.team('readers', { members: [ben] });

  const edited = await guild.ada.patch('/api/v1/orgs/guild', {
    description: 'Weavers',
    visibility: 'limited',
    email: '',
    repo_admin_change_team_access: true,
  });

  assert.equal(edited.status, 200);
  const { full_name, description, visibility, email, repo_admin_change_team_access } = edited.body;
  assert.deepEqual(
    [full_name, description, visibility, email, repo_admin_change_team_access],
    ['The Guild', 'Weavers', 'limited', '', true],
  );
  assert.deepEqual((await guild.ada.patch('/api/v1/orgs/guild', {})).body, edited.body);
  assert.equal((await ben.patch('/api/v1/orgs/guild', { description: 'x' })).status, 403);
  assert.equal((await guild.forge.send('PATCH', '/api/v1/orgs/guild', { json: {} })).status, 404);
  assert.equal((await guild.ada.patch('/api/v1/orgs/guild', { visibility: 'x' })).status, 422);
});

test('an organization with repositories cannot be deleted; without them it is deleted with its teams', async (t) => {
  const guild = await startGuild(t);
  const { ada, forge } = guild;
  const ben = await forge.account('ben');
  await guild.repository('handbook');
  const { id } = await guild.team('writers', { members: [ben] });

  assert.equal((await ben.delete('/api/v1/orgs/guild')).status, 403);
  assert.equal((await ada.delete('/api/v1/orgs/guild')).status, 422);
  await ada.delete('/api/v1/repos/guild/handbook');
  const deleted = await ada.delete('/api/v1/orgs/guild');

  assert.deepEqual([deleted.status, deleted.text], [204, '']);
  assert.equal((await ada.get('/api/v1/orgs/guild')).status, 404);
  assert.equal((await ada.get(`/api/v1/teams/${id}`)).status, 404);
  assert.deepEqual((await ben.get('/api/v1/user/teams')).body, []);
  assert.deepEqual((await ben.get('/api/v1/user/orgs')).body, []);
  assert.equal((await ada.post('/api/v1/orgs', { username: 'guild' })).status, 201);
});

for (const [visibility, seen] of [
  ['public', { anonymous: 200, stranger: 200, restricted: 200, publicOnly: 200 }],
  ['limited', { anonymous: 404, stranger: 200, restricted: 404, publicOnly: 404 }],
  ['private', { anonymous: 404, stranger: 404, restricted: 404, publicOnly: 404 }],
] as const) {
  test(`visibility ${visibility}: viewers who may see the organization find it everywhere, others nowhere`, async (t) => {
    const guild = await startGuild(t, { visibility });
    const { forge, ada } = guild;
    const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
    const rob = await forge.account('rob', { restricted: true });
    await guild.repository('open', { auto_init: true });
    await guild.team('readers', { members: [ben], permission: 'read', repositories: ['open'] });
    await ada.put('/api/v1/orgs/guild/public_members/ada');
    const publicOnly = { as: { token: await ada.tokenFor(['all', 'public-only']) } };
    const statuses = async (get: (path: string) => Promise<{ status: number; body: unknown }>) => {
      const paths = ['/orgs/guild', '/users/guild', '/orgs/guild/repos', '/orgs/guild/public_members'];
      const found = await Promise.all(paths.map(async (path) => (await get(`/api/v1${path}`)).status));
      for (const list of ['/orgs', '/users/ada/orgs']) {
        const { body } = await get(`/api/v1${list}`);
        found.push((body as readonly unknown[]).length === 1 ? 200 : 404);
      }
      return found;
    };
    const everywhere = (status: number) => Array.from({ length: 6 }, () => status);

    assert.deepEqual(await statuses((path) => ada.get(path)), everywhere(200));
    assert.deepEqual(await statuses((path) => ben.get(path)), everywhere(200));
    assert.deepEqual(await statuses((path) => forge.root.get(path)), everywhere(200));
    assert.deepEqual(await statuses((path) => forge.get(path)), everywhere(seen.anonymous));
    assert.deepEqual(await statuses((path) => eve.get(path)), everywhere(seen.stranger));
    assert.deepEqual(await statuses((path) => rob.get(path)), everywhere(seen.restricted));
    assert.deepEqual(await statuses((path) => ada.get(path, publicOnly)), everywhere(seen.publicOnly));
    const repository = '/api/v1/repos/guild/open';
    const open = await Promise.all([forge.get(repository), eve.get(repository), ben.get(repository)]);
    assert.deepEqual(
      open.map((answer) => answer.status),
      [seen.anonymous, seen.stranger, 200],
    );
  });
}

test('B8: a change of visibility takes effect with the next request', async (t) => {
  const guild = await startGuild(t);
  await guild.repository('open');
  const statuses = async () => [
    (await guild.forge.get('/api/v1/orgs/guild')).status,
    (await guild.forge.get('/api/v1/repos/guild/open')).status,
    (await guild.forge.get('/guild/open.git/info/refs?service=git-upload-pack')).status,
  ];

  assert.deepEqual(await statuses(), [200, 200, 200]);
  await guild.ada.patch('/api/v1/orgs/guild', { visibility: 'private' });
  assert.deepEqual(await statuses(), [404, 404, 401]);
  assert.equal((await guild.ada.get('/api/v1/repos/guild/open')).body.internal, true);
});

test('lists of organizations are paged and sorted by name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const username of ['beta', 'Alpha', 'gamma']) await ada.post('/api/v1/orgs', { username });

  for (const path of ['/orgs', '/user/orgs', '/users/ada/orgs', '/admin/orgs']) {
    const person = path === '/admin/orgs' ? forge.root : ada;
    const answer = await person.get(`/api/v1${path}?limit=2&page=1`);
    assert.deepEqual(
      answer.body.map((each: { name: string }) => each.name),
      ['Alpha', 'beta'],
      path,
    );
    assert.equal(answer.headers.get('x-total-count'), '3');
  }
  assert.equal((await ada.get('/api/v1/admin/orgs')).status, 403);
});

test('permissions of a user in an organization are visible to members, administrators and the user', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
  await guild.team('writers', { permission: 'write', members: [ben], can_create_org_repo: true });
  const of = (name: string) => `/api/v1/users/${name}/orgs/guild/permissions`;
  const permissions = { is_owner: false, is_admin: false, can_write: true, can_read: true };

  for (const person of [ada, ben, forge.root]) {
    const answer = await person.get(of('ben'));
    assert.deepEqual(answer.body, { ...permissions, can_create_repository: true }, person.name);
  }
  assert.equal((await eve.get(of('ben'))).status, 403);
  const nothing = { is_owner: false, is_admin: false, can_write: false, can_read: false };
  assert.deepEqual((await eve.get(of('eve'))).body, { ...nothing, can_create_repository: false });
  assert.deepEqual((await ada.get(of('root'))).body, { ...nothing, can_create_repository: false });
  assert.equal((await forge.get(of('ben'))).status, 401);
});

test('a renamed organization redirects from its old name: 301 for GET and HEAD, 307 for other methods', async (t) => {
  const guild = await startGuild(t);
  const { ada, forge } = guild;
  await guild.repository('handbook', { auto_init: true });

  assert.equal((await ada.post('/api/v1/orgs/guild/rename', { new_name: 'Crafts' })).status, 204);

  const redirectOf = async (method: string, path: string, body?: unknown) => {
    const answer = await ada.send(method, path, { json: body });
    return [answer.status, answer.headers.get('location')];
  };
  assert.deepEqual(await redirectOf('GET', '/api/v1/orgs/guild'), [301, '/api/v1/orgs/Crafts']);
  assert.deepEqual(await redirectOf('HEAD', '/api/v1/orgs/GUILD'), [301, '/api/v1/orgs/Crafts']);
  assert.deepEqual(await redirectOf('GET', '/api/v1/users/guild'), [301, '/api/v1/users/Crafts']);
  assert.deepEqual(await redirectOf('GET', '/api/v1/orgs/guild/teams?limit=1'), [
    301,
    '/api/v1/orgs/Crafts/teams?limit=1',
  ]);
  assert.deepEqual(await redirectOf('PATCH', '/api/v1/orgs/guild', {}), [307, '/api/v1/orgs/Crafts']);
  assert.deepEqual(await redirectOf('POST', '/api/v1/orgs/guild/repos', { name: 'x' }), [
    307,
    '/api/v1/orgs/Crafts/repos',
  ]);
  assert.deepEqual(await redirectOf('DELETE', '/api/v1/repos/guild/handbook'), [
    307,
    '/api/v1/repos/Crafts/handbook',
  ]);
  assert.deepEqual(await redirectOf('GET', '/api/v1/repos/guild/handbook/contents/README.md?ref=main'), [
    301,
    '/api/v1/repos/Crafts/handbook/contents/README.md?ref=main',
  ]);
  assert.equal((await forge.get('/api/v1/repos/crafts/handbook')).body.full_name, 'Crafts/handbook');
});

test('git remotes keep working after a rename', async (t) => {
  const guild = await startGuild(t, { visibility: 'private' });
  await guild.repository('handbook', { private: true, auto_init: true });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', guild.ada.remote('guild/handbook'), '.']);

  await guild.ada.post('/api/v1/orgs/guild/rename', { new_name: 'crafts' });

  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'Afterwards']);
  await git(folder, ['push', '-q', 'origin', 'HEAD']);
  await git(folder, ['fetch', '-q', 'origin']);
  assert.match(
    await git(folder, ['ls-remote', 'origin', 'refs/heads/main']),
    new RegExp(await git(folder, ['rev-parse', 'HEAD'])),
  );
});

test('B7: the old name of a hidden organization returns the same response as an unknown name', async (t) => {
  const guild = await startGuild(t, { visibility: 'private' });
  await guild.repository('handbook');
  await guild.ada.post('/api/v1/orgs/guild/rename', { new_name: 'crafts' });
  const eve = await guild.forge.account('eve');

  for (const path of ['/orgs/guild', '/users/guild', '/repos/guild/handbook', '/orgs/guild/teams']) {
    const answer = await eve.get(`/api/v1${path}`);
    assert.deepEqual([answer.status, answer.headers.get('location')], [404, null], path);
  }
  assert.equal((await eve.post('/api/v1/orgs/guild/repos', { name: 'x' })).status, 404);
});

test('an old name that another account takes no longer redirects, and changing only the case creates no redirect', async (t) => {
  const guild = await startGuild(t);
  const { ada, forge } = guild;

  assert.equal((await ada.post('/api/v1/orgs/guild/rename', { new_name: 'GUILD' })).status, 204);
  assert.equal((await ada.get('/api/v1/orgs/guild')).body.name, 'GUILD');
  await ada.post('/api/v1/orgs/guild/rename', { new_name: 'crafts' });
  assert.equal((await ada.get('/api/v1/orgs/guild')).status, 301);
  await forge.account('guild');
  assert.equal((await ada.get('/api/v1/users/guild')).status, 200);
  assert.equal((await ada.get('/api/v1/orgs/guild')).status, 404);
  assert.equal((await ada.post('/api/v1/orgs/crafts/rename', { new_name: 'ada' })).status, 422);
  assert.equal((await ada.post('/api/v1/orgs/crafts/rename', { new_name: 'api' })).status, 422);
  assert.equal((await ada.post('/api/v1/orgs/crafts/rename', {})).status, 422);
  await ada.post('/api/v1/orgs/crafts/rename', { new_name: 'smiths' });
  await ada.post('/api/v1/orgs/smiths/rename', { new_name: 'crafts' });
  assert.equal((await ada.get('/api/v1/orgs/crafts')).status, 200);
  assert.equal((await ada.get('/api/v1/orgs/smiths')).headers.get('location'), '/api/v1/orgs/crafts');
});

test('an administrator who acts as an organization has its permissions but cannot do what only a user can', async (t) => {
  const guild = await startGuild(t);
  const as = async (method: string, path: string, json?: unknown) => {
    const headers = { sudo: 'guild' };
    return guild.forge.root.send(method, `/api/v1${path}`, { headers, json });
  };

  assert.equal((await as('GET', '/user')).body.login, 'guild');
  assert.equal((await as('POST', '/orgs/guild/repos', { name: 'handbook' })).status, 201);
  assert.equal((await as('GET', '/orgs/guild/teams')).status, 200);
  for (const [method, path, json] of [
    ['POST', '/user/repos', { name: 'x' }],
    ['POST', '/orgs', { username: 'x' }],
    ['PATCH', '/user/settings', { location: 'x' }],
    ['POST', '/user/emails', { emails: ['x@example.org'] }],
  ] as const) {
    assert.equal((await as(method, path, json)).status, 422, path);
  }
});
