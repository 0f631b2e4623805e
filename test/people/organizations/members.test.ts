import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Guild, names, startGuild } from '../../support/forge/organizations.ts';
import { request } from '../../support/http/http.ts';

const MEMBERS = '/api/v1/orgs/guild/members';
const PUBLIC = '/api/v1/orgs/guild/public_members';

async function withBenAndEve(guild: Guild) {
  const [ben, eve] = [await guild.forge.account('ben'), await guild.forge.account('eve')];
  const { id } = await guild.team('readers', { members: [ben] });
  return { ben, eve, teamId: id };
}

test('members see all members, others only public ones', async (t) => {
  const guild = await startGuild(t);
  const { ben, eve } = await withBenAndEve(guild);
  assert.equal((await ben.put(`${PUBLIC}/ben`)).status, 204);

  for (const person of [guild.ada, ben, guild.forge.root]) {
    const listed = await person.get(MEMBERS);
    assert.deepEqual(names(listed.body), ['ada', 'ben'], person.name);
    assert.equal(listed.headers.get('x-total-count'), '2');
  }
  for (const listed of [await eve.get(MEMBERS), await guild.forge.get(MEMBERS), await ben.get(PUBLIC)]) {
    assert.deepEqual(names(listed.body), ['ben']);
  }
  assert.equal((await guild.ada.get(`${MEMBERS}?limit=1&page=2`)).body[0].login, 'ben');
});

test('members can check whether a user is a member; others are redirected to the public members', async (t) => {
  const guild = await startGuild(t);
  const { ben, eve } = await withBenAndEve(guild);

  assert.equal((await guild.ada.get(`${MEMBERS}/ben`)).status, 204);
  assert.equal((await guild.ada.get(`${MEMBERS}/eve`)).status, 404);
  const sent = await eve.get(`${MEMBERS}/ben`);
  assert.equal(sent.status, 303);
  const location = sent.headers.get('location') ?? '';
  assert.equal(location, `${guild.forge.url}${PUBLIC}/ben`);
  assert.equal((await request('GET', location)).status, 404);
  await ben.put(`${PUBLIC}/ben`);
  assert.equal((await request('GET', location)).status, 204);
  assert.equal((await eve.get(`${MEMBERS}/nobody`)).status, 404);
});

test('members publish and conceal their own membership', async (t) => {
  const guild = await startGuild(t);
  const { ben, eve } = await withBenAndEve(guild);

  assert.equal((await guild.ada.put(`${PUBLIC}/ben`)).status, 403);
  assert.equal((await guild.forge.root.put(`${PUBLIC}/ben`)).status, 403);
  assert.equal((await eve.put(`${PUBLIC}/eve`)).status, 403);
  assert.equal((await guild.forge.root.put(`${PUBLIC}/root`)).status, 404);
  assert.equal((await guild.forge.send('PUT', `${PUBLIC}/ben`)).status, 401);
  assert.equal((await ben.put(`${PUBLIC}/BEN`)).status, 204);
  assert.equal((await ben.put(`${PUBLIC}/ben`)).status, 204);
  assert.equal((await guild.forge.get(`${PUBLIC}/ben`)).status, 204);
  assert.equal((await ben.delete(`${PUBLIC}/ben`)).status, 204);
  assert.equal((await guild.forge.get(`${PUBLIC}/ben`)).status, 404);
});

test('owners remove a member from the organization and all its teams', async (t) => {
  const guild = await startGuild(t);
  const { ben, eve, teamId } = await withBenAndEve(guild);
  await guild.repository('handbook', { private: true });
  await guild.team('writers', { members: [ben], permission: 'write', repositories: ['handbook'] });
  const { ada, forge } = guild;

  assert.equal((await ben.delete(`${MEMBERS}/ada`)).status, 403);
  assert.equal((await ada.delete(`${MEMBERS}/eve`)).status, 404);
  assert.equal((await ada.delete(`${MEMBERS}/ben`)).status, 204);
  assert.equal((await ada.delete(`${MEMBERS}/ben`)).status, 404);

  assert.deepEqual((await ada.get(`/api/v1/teams/${teamId}/members`)).body, []);
  assert.deepEqual((await ben.get('/api/v1/user/teams')).body, []);
  assert.equal((await ben.get('/api/v1/repos/guild/handbook')).status, 404);
  assert.equal((await eve.delete(`${MEMBERS}/ada`)).status, 403);
  assert.equal((await forge.root.delete(`${MEMBERS}/ada`)).status, 422);
});

test('B7: a concealed membership is hidden from outsiders', async (t) => {
  const guild = await startGuild(t);
  const { ben, eve } = await withBenAndEve(guild);

  assert.deepEqual((await eve.get('/api/v1/users/ben/orgs')).body, []);
  assert.deepEqual((await guild.forge.get('/api/v1/users/ben/orgs')).body, []);
  assert.equal((await guild.ada.get('/api/v1/users/ben/orgs')).body.length, 1);
  assert.equal((await ben.get('/api/v1/users/ben/orgs')).body.length, 1);
  await ben.put(`${PUBLIC}/ben`);
  assert.equal((await eve.get('/api/v1/users/ben/orgs')).body.length, 1);
});

test('a private user with a public membership stays hidden from strangers', async (t) => {
  const guild = await startGuild(t);
  const hidden = await guild.forge.account('hidden', { visibility: 'private' });
  const { id } = await guild.team('readers');
  await guild.forge.root.put(`/api/v1/teams/${id}/members/hidden`);
  await hidden.put(`${PUBLIC}/hidden`);

  assert.deepEqual((await guild.forge.get(PUBLIC)).body, []);
  assert.equal((await guild.forge.get(PUBLIC)).headers.get('x-total-count'), '0');
  assert.equal((await guild.forge.get(`${PUBLIC}/hidden`)).status, 404);
  assert.deepEqual(names((await guild.ada.get(PUBLIC)).body), ['hidden']);
});
