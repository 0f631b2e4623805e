import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { names, startGuild } from '../../support/forge/organizations.ts';

test('GET, PUT and DELETE /teams/{id}/repos list, add and remove repositories of a team, and removing one does not delete it', async (t) => {
  const guild = await startGuild(t);
  const handbook = await guild.repository('Handbook');
  const { id } = await guild.team('writers', { permission: 'write' });
  const path = `/api/v1/teams/${id}/repos`;
  assert.equal((await guild.ada.get(`${path}/guild/handbook`)).status, 404);

  const added = await guild.ada.put(`${path}/GUILD/handbook`);
  const again = await guild.ada.put(`${path}/guild/handbook`);

  assert.deepEqual([added.status, added.text, again.status], [204, '', 204]);
  const listed = await guild.ada.get(path);
  assert.equal(listed.status, 200);
  assert.equal(listed.headers.get('x-total-count'), '1');
  assert.deepEqual(names(listed.body), ['guild/Handbook']);
  const one = await guild.ada.get(`${path}/guild/handbook`);
  assert.deepEqual([one.status, one.body.id], [200, handbook.id]);

  assert.equal((await guild.ada.delete(`${path}/guild/handbook`)).status, 204);
  assert.equal((await guild.ada.delete(`${path}/guild/handbook`)).status, 204);
  assert.deepEqual((await guild.ada.get(path)).body, []);
  assert.equal((await guild.ada.get('/api/v1/repos/guild/handbook')).status, 200);
  const { database } = guild.forge.forge.running.engines;
  assert.deepEqual(
    (await eventsOf(database, 'team.repository')).map(({ kind, actor }) => [kind, actor]),
    [
      ['team.repository-added', 'ada'],
      ['team.repository-removed', 'ada'],
    ],
  );
});

test('adding or removing a repository of a team requires the level admin on it, and returns 403 without it', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  await guild.repository('handbook');
  const { id } = await guild.team('writers', { permission: 'write', members: [ben] });
  await guild.team('readers', { permission: 'read', members: [ben], repositories: ['handbook'] });
  const path = `/api/v1/teams/${id}/repos/guild/handbook`;
  const statuses = async () => [(await ben.put(path)).status, (await ben.delete(path)).status];

  assert.deepEqual(await statuses(), [403, 403], 'reads it');
  await ada.put('/api/v1/repos/guild/handbook/collaborators/ben', { permission: 'write' });
  assert.deepEqual(await statuses(), [403, 403], 'writes it');
  await ada.put('/api/v1/repos/guild/handbook/collaborators/ben', { permission: 'admin' });
  assert.deepEqual(await statuses(), [204, 204], 'administers it');
});

test('reading a repository of a team by organization and name returns 404 if the team does not have it', async (t) => {
  const guild = await startGuild(t);
  const { ada } = guild;
  await ada.post('/api/v1/orgs', { username: 'other' });
  await ada.post('/api/v1/orgs/other/repos', { name: 'elsewhere' });
  await ada.repository('own');
  const { id } = await guild.team('writers');

  for (const path of [
    'guild/nothing',
    'guild/elsewhere',
    'other/elsewhere',
    'ada/own',
    'guild/..',
    'guild/%2e%2e%2fx',
    'guild/a%00b',
    `guild/${'x'.repeat(200)}`,
  ]) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status } = await ada.send(method, `/api/v1/teams/${id}/repos/${path}`);
      assert.equal(status, 404, `${method} ${path}`);
    }
  }
});

test('a member of an administering team who has the level admin on a repository can add and remove it', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  await guild.repository('handbook');
  const { id } = await guild.team('masters', { permission: 'admin', members: [ben] });
  await guild.team('others', { members: [cleo] });
  const path = `/api/v1/teams/${id}/repos/guild/handbook`;
  for (const name of ['ben', 'cleo'])
    await ada.put(`/api/v1/repos/guild/handbook/collaborators/${name}`, { permission: 'admin' });

  assert.equal((await cleo.put(path)).status, 403, 'not in the team');
  assert.equal((await ben.put(path)).status, 204);
  assert.equal((await ben.delete(path)).status, 204);
});

test('B2: a caller outside a team cannot give it more than their own level', async (t) => {
  const guild = await startGuild(t, { repo_admin_change_team_access: true });
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  await guild.repository('handbook');
  await guild.team('masters', { permission: 'admin' });
  await ada.put('/api/v1/repos/guild/handbook/collaborators/ben', { permission: 'admin' });
  const path = '/api/v1/repos/guild/handbook/teams/masters';

  assert.equal((await ben.put(path)).status, 403);
  assert.equal((await ben.delete('/api/v1/repos/guild/handbook')).status, 403);
  assert.equal((await ada.put(path)).status, 204);
});

test('a team that includes all repositories has the existing and the later ones', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  await guild.repository('before', { private: true });
  const { id } = await guild.team('all', {
    permission: 'read',
    includes_all_repositories: true,
    members: [ben],
  });
  await guild.repository('after', { private: true });
  const path = `/api/v1/teams/${id}/repos`;

  assert.deepEqual(names((await ben.get(path)).body), ['guild/after', 'guild/before']);
  assert.deepEqual(names((await ben.get('/api/v1/user/repos')).body), ['guild/after', 'guild/before']);
  assert.equal((await guild.ada.delete(`${path}/guild/after`)).status, 204, 'removing one changes nothing');
  assert.equal((await ben.get('/api/v1/repos/guild/after')).status, 200);

  await guild.ada.patch(`/api/v1/teams/${id}`, { includes_all_repositories: false });
  assert.deepEqual((await ben.get(path)).body, []);
  assert.equal((await ben.get('/api/v1/repos/guild/before')).status, 404);
});

test('GET, PUT and DELETE /repos/{owner}/{repo}/teams list, add and remove teams of a repository', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
  await guild.repository('handbook');
  await guild.team('writers', { members: [ben] });
  const path = '/api/v1/repos/guild/handbook/teams';

  assert.deepEqual(names((await ada.get(path)).body), ['Owners']);
  assert.equal((await ada.get(`${path}/writers`)).status, 404);
  assert.equal((await ada.put(`${path}/writers`)).status, 204);
  assert.equal((await ada.put(`${path}/writers`)).status, 422);
  assert.deepEqual(names((await ben.get(path)).body), ['Owners', 'writers']);
  assert.equal((await ada.get(`${path}/WRITERS`)).body.name, 'writers');
  assert.equal((await ada.put(`${path}/nothing`)).status, 404);
  assert.deepEqual([(await eve.get(path)).status, (await forge.get(path)).status], [403, 401]);
  assert.deepEqual(
    [(await ben.delete(`${path}/writers`)).status, (await eve.put(`${path}/x`)).status],
    [403, 403],
  );
  assert.equal((await ada.delete(`${path}/writers`)).status, 204);
  assert.equal((await ada.delete(`${path}/writers`)).status, 422);
});

test('administrators of a repository can change its teams only if the organization allows it', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  await guild.repository('handbook');
  await guild.team('writers', { permission: 'write' });
  await guild.team('masters', { permission: 'admin' });
  await ada.put('/api/v1/repos/guild/handbook/collaborators/ben', { permission: 'admin' });
  const path = '/api/v1/repos/guild/handbook/teams';

  assert.equal((await ben.put(`${path}/writers`)).status, 403);
  await ada.patch('/api/v1/orgs/guild', { repo_admin_change_team_access: true });
  assert.equal((await ben.put(`${path}/writers`)).status, 204);
  assert.equal((await ben.put(`${path}/masters`)).status, 403, 'a team above their own level');
  assert.equal((await ben.delete(`${path}/writers`)).status, 204);
});

test('repositories of users have no teams: 405', async (t) => {
  const guild = await startGuild(t);
  await guild.ada.repository('own');

  for (const [method, path] of [
    ['GET', '/api/v1/repos/ada/own/teams'],
    ['GET', '/api/v1/repos/ada/own/teams/writers'],
    ['PUT', '/api/v1/repos/ada/own/teams/writers'],
    ['DELETE', '/api/v1/repos/ada/own/teams/writers'],
  ] as const) {
    assert.equal((await guild.ada.send(method, path)).status, 405, `${method} ${path}`);
  }
});

test('a deleted repository disappears from its teams', async (t) => {
  const guild = await startGuild(t);
  await guild.repository('handbook');
  const { id } = await guild.team('writers', { repositories: ['handbook'] });

  await guild.ada.delete('/api/v1/repos/guild/handbook');
  await guild.repository('handbook');

  assert.deepEqual((await guild.ada.get(`/api/v1/teams/${id}/repos`)).body, []);
});
