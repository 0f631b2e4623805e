import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names, startGuild } from '../../support/forge/organizations.ts';

const REPOS = '/api/v1/orgs/guild/repos';

for (const path of [REPOS, '/api/v1/org/guild/repos']) {
  test(`POST ${path.replace('guild', '{org}')}: 201 with a repository that the organization owns`, async (t) => {
    const { ada } = await startGuild(t);

    const created = await ada.post(path, { name: 'handbook', private: true, auto_init: true });

    assert.equal(created.status, 201);
    assert.equal(created.body.full_name, 'guild/handbook');
    assert.equal(created.body.owner.login, 'guild');
    assert.equal(created.body.empty, false);
    assert.deepEqual(created.body.permissions, { admin: true, push: true, pull: true });
    assert.equal((await ada.post(path, { name: 'HANDBOOK' })).status, 409);
  });
}

test('creating in an organization: 422 if it is missing, 404 if it is hidden, 403 if the caller may not create there', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo, eve] = [
    await forge.account('ben'),
    await forge.account('cleo'),
    await forge.account('eve'),
  ];
  await guild.team('writers', { permission: 'write', members: [ben] });
  await guild.team('makers', { permission: 'read', members: [cleo], can_create_org_repo: true });
  await ada.post('/api/v1/orgs', { username: 'secret', visibility: 'private' });

  for (const prefix of ['/api/v1/orgs', '/api/v1/org']) {
    for (const org of ['nothing', 'ada', '..%2f', 'a%00b', 'x'.repeat(60)]) {
      assert.equal((await eve.post(`${prefix}/${org}/repos`, { name: 'x' })).status, 422, org);
    }
    assert.equal((await eve.post(`${prefix}/secret/repos`, { name: 'x' })).status, 404);
    assert.equal((await eve.post(`${prefix}/guild/repos`, { name: 'x' })).status, 403);
    assert.equal((await ben.post(`${prefix}/guild/repos`, { name: 'x' })).status, 403);
    const asNobody = await forge.send('POST', `${prefix}/guild/repos`, { json: { name: 'x' } });
    assert.equal(asNobody.status, 401);
    assert.equal((await ada.post(`${prefix}/guild/repos`, { name: '..' })).status, 422);
  }
  assert.equal((await cleo.post(REPOS, { name: 'made' })).status, 201);
});

test('a site administrator can create repositories in every organization', async (t) => {
  const guild = await startGuild(t, { visibility: 'private' });

  const created = await guild.forge.root.post(REPOS, { name: 'handbook' });

  assert.equal(created.status, 201);
  assert.deepEqual((await guild.ada.get('/api/v1/repos/guild/handbook/collaborators')).body, []);
});

test('the creator of a repository administers it, even without a team', async (t) => {
  const guild = await startGuild(t);
  const cleo = await guild.forge.account('cleo');
  await guild.team('makers', { permission: 'read', members: [cleo], can_create_org_repo: true });

  for (const auto_init of [false, true]) {
    const name = `made-${auto_init}`;
    const created = await cleo.post(REPOS, { name, private: true, auto_init });

    assert.deepEqual(created.body.permissions, { admin: true, push: true, pull: true });
    assert.equal(
      (await cleo.delete(`/api/v1/repos/guild/${name}`)).status,
      403,
      'an administrator who is not an owner',
    );
    assert.deepEqual(names((await guild.ada.get(`/api/v1/repos/guild/${name}/collaborators`)).body), [
      'cleo',
    ]);
  }
  await guild.repository('by-an-owner');
  assert.deepEqual((await guild.ada.get('/api/v1/repos/guild/by-an-owner/collaborators')).body, []);
});

test('H8: of concurrent creations of repositories with the same name, one succeeds', async (t) => {
  const guild = await startGuild(t);

  const created = await Promise.all(
    [true, false, true, false].map((auto_init) => guild.ada.post(REPOS, { name: 'handbook', auto_init })),
  );

  assert.deepEqual(created.map((answer) => answer.status).sort(), [201, 409, 409, 409]);
  const { id } = created.find((answer) => answer.status === 201)?.body ?? {};
  const { body: listed } = await guild.ada.get(REPOS);
  assert.deepEqual(
    listed.map((repository: { id: number }) => repository.id),
    [id],
  );
});

test('a list contains private repositories only for viewers who may see them', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
  await guild.repository('Open');
  await guild.repository('secret', { private: true });
  await guild.repository('other', { private: true });
  await guild.team('readers', { permission: 'read', members: [ben], repositories: ['secret'] });
  const publicOnly = { as: { token: await ada.tokenFor(['all', 'public-only']) } };

  const listed = async (answer: ReturnType<typeof forge.get>) => names((await answer).body);
  const all = ['guild/Open', 'guild/other', 'guild/secret'];
  for (const path of [REPOS, '/api/v1/users/guild/repos']) {
    assert.deepEqual(await listed(ada.get(path)), all);
    assert.deepEqual(await listed(forge.root.get(path)), all);
    assert.deepEqual(await listed(ben.get(path)), ['guild/Open', 'guild/secret']);
    assert.deepEqual(await listed(eve.get(path)), ['guild/Open']);
    assert.deepEqual(await listed(forge.get(path)), ['guild/Open']);
    assert.deepEqual(await listed(ada.get(path, publicOnly)), ['guild/Open']);
  }
  assert.equal((await ben.get(`${REPOS}?limit=1`)).headers.get('x-total-count'), '2');
});

test('reading a repository by its id returns 404 unless the viewer may see it', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
  const { id: open } = await guild.repository('open');
  const { id: secret } = await guild.repository('secret', { private: true });
  await guild.team('readers', { permission: 'read', members: [ben], repositories: ['secret'] });
  const statuses = async (id: number | string) =>
    Promise.all(
      [ada, ben, eve, forge].map(async (one) => (await one.get(`/api/v1/repositories/${id}`)).status),
    );

  assert.deepEqual(await statuses(open), [200, 200, 200, 200]);
  assert.deepEqual(await statuses(secret), [200, 200, 404, 404]);
  for (const id of [999_999, 0, -1, 'x', '9223372036854775807', '99999999999999999999']) {
    assert.deepEqual(await statuses(id), [404, 404, 404, 404], String(id));
  }
});

test('an administrator creates a repository for a user, who is the author of its first commit', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;

  const created = await forge.root.post('/api/v1/admin/users/ada/repos', { name: 'gift', auto_init: true });

  assert.equal(created.status, 201);
  assert.equal(created.body.full_name, 'ada/gift');
  assert.equal((await ada.get('/api/v1/repos/ada/gift')).body.permissions.admin, true);
  const post = async (name: string) =>
    (await forge.root.post(`/api/v1/admin/users/${name}/repos`, { name: 'x' })).status;
  assert.equal(await post('nobody'), 404);
  assert.equal((await ada.post('/api/v1/admin/users/ada/repos', { name: 'x' })).status, 403);
});

test('an administrator creates a repository for an organization by the same path', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;

  const created = await forge.root.post('/api/v1/admin/users/guild/repos', { name: 'gift', auto_init: true });

  assert.equal(created.status, 201);
  assert.equal(created.body.full_name, 'guild/gift');
  assert.equal((await ada.get('/api/v1/repos/guild/gift')).body.permissions.admin, true);
  const { body } = await ada.get('/api/v1/repos/guild/gift/contents');
  assert.deepEqual(
    body.map(({ name }: { name: string }) => name),
    ['README.md'],
  );
  const again = await forge.root.post('/api/v1/admin/users/guild/repos', { name: 'gift' });
  assert.equal(again.status, 409);
  assert.equal((await ada.post('/api/v1/admin/users/guild/repos', { name: 'x' })).status, 403);
});

test('A3: creating in an organization needs the scopes of both categories', async (t) => {
  const { ada } = await startGuild(t);
  const statuses: number[] = [];
  for (const scopes of [
    ['write:organization'],
    ['write:repository'],
    ['write:organization', 'write:repository'],
  ]) {
    const as = { token: await ada.tokenFor(scopes) };
    statuses.push((await ada.send('POST', REPOS, { as, json: { name: 'handbook' } })).status);
  }
  assert.deepEqual(statuses, [403, 403, 201]);
});

test('A3: deleting a repository also needs the scope for its kind of owner', async (t) => {
  const guild = await startGuild(t);
  await guild.repository('handbook');
  await guild.ada.repository('own');
  const remove = async (path: string, ...scopes: string[]) => {
    const as = { token: await guild.ada.tokenFor(['write:repository', ...scopes]) };
    return (await guild.ada.send('DELETE', `/api/v1/repos/${path}`, { as })).status;
  };

  assert.deepEqual(
    [await remove('guild/handbook'), await remove('guild/handbook', 'write:user')],
    [403, 403],
  );
  assert.deepEqual([await remove('ada/own'), await remove('ada/own', 'write:organization')], [403, 403]);
  assert.equal(await remove('guild/handbook', 'write:organization'), 204);
  assert.equal(await remove('ada/own', 'write:user'), 204);
});

test('a public-only token cannot create a repository that it could not see', async (t) => {
  const { ada } = await startGuild(t);
  const as = { token: await ada.tokenFor(['all', 'public-only']) };
  const post = async (path: string, json: unknown) => (await ada.send('POST', path, { as, json })).status;

  assert.equal(await post(REPOS, { name: 'secret', private: true }), 403);
  assert.equal(await post('/api/v1/user/repos', { name: 'secret', private: true }), 403);
  assert.equal(await post('/api/v1/orgs', { username: 'hidden', visibility: 'private' }), 403);
  assert.equal(await post(REPOS, { name: 'open' }), 201);
  assert.equal((await ada.get('/api/v1/repos/guild/secret')).status, 404);
});

test('a public-only token of an administrator bypasses no check', async (t) => {
  const guild = await startGuild(t);
  await guild.repository('handbook', { auto_init: true });
  const { root } = guild.forge;
  const as = { token: await root.tokenFor(['all', 'public-only']) };
  const status = async (method: string, path: string, json: unknown) =>
    (await guild.forge.send(method, `/api/v1${path}`, { as, json })).status;

  assert.equal(await status('POST', '/orgs/guild/repos', { name: 'by-root' }), 403);
  assert.equal(await status('PATCH', '/orgs/guild', { location: 'here' }), 403);
  assert.equal(await status('POST', '/repos/guild/handbook/contents/a', { content: '' }), 403);
  assert.equal(await status('PUT', '/repos/guild/handbook/collaborators/ada', {}), 403);
  assert.equal(await status('DELETE', '/repos/guild/handbook', undefined), 403);
  assert.equal((await root.patch('/api/v1/orgs/guild', { location: 'here' })).status, 200);
});

test('POST /org/{org}/repos is described as deprecated, in favor of /orgs/{org}/repos', async (t) => {
  const { forge } = await startGuild(t);

  const { paths } = (await forge.get('/swagger.v1.json')).body;

  assert.equal(paths['/org/{org}/repos'].post.deprecated, true);
  assert.equal(paths['/orgs/{org}/repos'].post.deprecated, undefined);
});
