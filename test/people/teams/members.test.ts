import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { names, startGuild } from '../../support/forge/organizations.ts';

test('PUT and DELETE /teams/{id}/members/{username} return 204, and a repetition changes nothing', async (t) => {
  const guild = await startGuild(t);
  await guild.forge.account('Ben');
  const { id } = await guild.team('writers');
  const path = `/api/v1/teams/${id}/members/ben`;
  const { database } = guild.forge.forge.running.engines;

  assert.equal((await guild.ada.put(path)).status, 204);
  const again = await guild.ada.put(path);
  assert.deepEqual([again.status, again.text], [204, '']);
  assert.deepEqual(names((await guild.ada.get(`/api/v1/teams/${id}/members`)).body), ['Ben']);

  assert.equal((await guild.ada.delete(path)).status, 204);
  assert.equal((await guild.ada.delete(path)).status, 204);
  assert.deepEqual((await guild.ada.get(`/api/v1/teams/${id}/members`)).body, []);
  assert.deepEqual(
    (await eventsOf(database, 'team.member')).slice(1).map(({ kind, actor }) => [kind, actor]),
    [
      ['team.member-added', 'ada'],
      ['team.member-removed', 'ada'],
    ],
  );
});

test('listing the members of a team returns 404 outside the organization', async (t) => {
  const guild = await startGuild(t);
  const [ben, cleo, eve] = [
    await guild.forge.account('ben'),
    await guild.forge.account('cleo'),
    await guild.forge.account('eve'),
  ];
  const { id } = await guild.team('writers', { members: [ben] });
  await guild.team('others', { members: [cleo] });
  const path = `/api/v1/teams/${id}/members`;

  for (const person of [guild.ada, ben, cleo, guild.forge.root]) {
    const listed = await person.get(path);
    assert.deepEqual([listed.status, names(listed.body)], [200, ['ben']], person.name);
    assert.equal(listed.headers.get('x-total-count'), '1');
  }
  assert.equal((await eve.get(path)).status, 404);
  assert.equal((await eve.get(`${path}/ben`)).status, 404);
  assert.equal((await guild.forge.get(path)).status, 401);
});

test('reading a member returns the user, or 404 if the user is not in the team', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  const { id } = await guild.team('writers', { members: [ben] });
  const path = `/api/v1/teams/${id}/members`;

  const found = await guild.ada.get(`${path}/BEN`);
  const listed = await guild.ada.get(path);

  assert.equal(found.status, 200);
  assert.equal(found.body.login, 'ben');
  assert.equal(found.body.email, 'ben@example.org');
  assert.deepEqual(listed.body, [found.body]);
  for (const name of ['ada', 'nobody', 'guild', '%00', '..%2fben']) {
    assert.equal((await guild.ada.get(`${path}/${name}`)).status, 404, name);
  }
});

test('a missing or hidden user cannot join', async (t) => {
  const guild = await startGuild(t);
  await guild.forge.account('hidden', { visibility: 'private' });
  await guild.ada.post('/api/v1/orgs', { username: 'other' });
  const { id } = await guild.team('writers');
  const put = async (name: string) => (await guild.ada.put(`/api/v1/teams/${id}/members/${name}`)).status;

  assert.equal(await put('other'), 422);
  assert.equal(await put('hidden'), 404);
  assert.equal(await put('nobody'), 404);
  assert.equal((await guild.forge.root.put(`/api/v1/teams/${id}/members/hidden`)).status, 204);
  assert.deepEqual(
    names((await guild.ada.get(`/api/v1/teams/${id}/members`)).body),
    ['hidden'],
    'members of one organization see each other',
  );
  assert.equal((await guild.ada.get('/api/v1/users/hidden')).status, 200);
});

test('joining a first team starts membership in the organization, and leaving the last team ends it', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  const writers = await guild.team('writers', { members: [ben] });
  const readers = await guild.team('readers', { members: [ben] });
  const isMember = async () => (await guild.ada.get('/api/v1/orgs/guild/members/ben')).status;

  assert.equal(await isMember(), 204);
  await guild.ada.delete(`/api/v1/teams/${writers.id}/members/ben`);
  assert.equal(await isMember(), 204);
  await guild.ada.delete(`/api/v1/teams/${readers.id}/members/ben`);
  assert.equal(await isMember(), 404);
  const { database } = guild.forge.forge.running.engines;
  assert.deepEqual(
    (await eventsOf(database, 'organization.member')).map(({ kind }) => kind),
    ['organization.member-added', 'organization.member-added', 'organization.member-removed'],
  );
});

test('the last owner cannot be removed, by any caller or route', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const owners = await guild.owners();
  const urls = [`/api/v1/teams/${owners.id}/members/ada`, '/api/v1/orgs/guild/members/ada'];

  for (const url of urls) {
    assert.equal((await ada.delete(url)).status, 422, url);
    assert.equal((await forge.root.delete(url)).status, 422, url);
  }
  assert.equal((await forge.root.delete('/api/v1/admin/users/ada')).status, 422);
  assert.deepEqual(names((await ada.get(`/api/v1/teams/${owners.id}/members`)).body), ['ada']);

  await forge.account('ben');
  await ada.put(`/api/v1/teams/${owners.id}/members/ben`);
  assert.equal((await ada.delete(urls[0] ?? '')).status, 204);
  assert.equal((await ada.get('/api/v1/orgs/guild/teams')).status, 403);
});

test('of two owners who remove each other concurrently, one stays', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  const { id } = await guild.owners();
  await guild.ada.put(`/api/v1/teams/${id}/members/ben`);

  const answers = await Promise.all([
    guild.ada.delete(`/api/v1/teams/${id}/members/ben`),
    ben.delete(`/api/v1/teams/${id}/members/ada`),
  ]);

  assert.equal(
    answers.filter(({ status }) => status === 204).length,
    1,
    answers.map((each) => each.text).join(),
  );
  assert.equal((await guild.forge.root.get(`/api/v1/teams/${id}/members`)).body.length, 1);
});

test('A11: a user removed from a team loses access at once', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  await guild.repository('handbook', { private: true });
  const { id } = await guild.team('writers', {
    members: [ben],
    permission: 'write',
    repositories: ['handbook'],
  });
  const see = async () => (await ben.get('/api/v1/repos/guild/handbook')).status;

  assert.equal(await see(), 200);
  await guild.ada.delete(`/api/v1/teams/${id}/members/ben`);
  assert.equal(await see(), 404);
});
