import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { names, startGuild } from '../../support/forge/organizations.ts';

async function namesAt(who: Person, path: string): Promise<readonly string[]> {
  const answer = await who.get(path);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('x-total-count'), String(answer.body.length), path);
  return names(answer.body);
}

test("issues of a user's repository can be assigned to its owner and to collaborators who may write", async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (const [name, permission] of Object.entries({ ben: 'read', cy: 'write', di: 'admin', eve: 'write' })) {
    await forge.account(name);
    await ada.put(`/api/v1/repos/ada/engine/collaborators/${name}`, { permission });
  }
  const stranger = await forge.account('stranger');
  assert.equal((await forge.root.patch('/api/v1/admin/users/eve', { active: false })).status, 200);

  assert.deepEqual(await namesAt(stranger, '/api/v1/repos/ada/engine/assignees'), ['ada', 'cy', 'di']);
  assert.deepEqual(await namesAt(stranger, '/api/v1/repos/ada/engine/reviewers'), ['ada', 'ben', 'cy', 'di']);
});

test('issues of an organization can be assigned to members whose teams may write issues or pull requests', async (t) => {
  const guild = await startGuild(t);
  await guild.repository('handbook', { private: true });
  const people = await Promise.all(
    ['tracker', 'reader', 'coder', 'idle', 'all'].map((name) => guild.forge.account(name)),
  );
  const [tracker, reader, coder, idle, all] = people as [Person, Person, Person, Person, Person];
  const repositories = ['handbook'];
  const units_map = { 'repo.issues': 'write' };
  await guild.team('trackers', { permission: 'read', units_map, members: [tracker], repositories });
  await guild.team('readers', { permission: 'read', members: [reader], repositories });
  await guild.team('coders', {
    permission: 'read',
    units_map: { 'repo.code': 'write' },
    members: [coder],
    repositories,
  });
  await guild.team('others', { permission: 'write', members: [idle] });
  await guild.team('everywhere', {
    permission: 'write',
    includes_all_repositories: true,
    members: [all],
  });

  const { ada } = guild;
  assert.deepEqual(await namesAt(ada, '/api/v1/repos/guild/handbook/assignees'), ['ada', 'all', 'tracker']);
  assert.deepEqual(await namesAt(ada, '/api/v1/repos/guild/handbook/reviewers'), ['ada', 'all', 'reader']);
  assert.equal((await idle.get('/api/v1/repos/guild/handbook/assignees')).status, 404);
});

test('watchers of a public repository are possible reviewers, and hidden users are not listed', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const ben = await forge.account('ben');
  const shy = await forge.account('shy', { visibility: 'private' });
  for (const who of [ben, shy]) await who.put('/api/v1/repos/ada/engine/subscription');

  assert.deepEqual(await namesAt(ben, '/api/v1/repos/ada/engine/reviewers'), ['ada', 'ben']);
  assert.deepEqual(await namesAt(shy, '/api/v1/repos/ada/engine/reviewers'), ['ada', 'ben', 'shy']);
  assert.deepEqual(await namesAt(ben, '/api/v1/repos/ada/engine/assignees'), ['ada']);
});

test('reviewer lists do not reveal that a user with hidden activity watches the repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const [ben, quiet] = [await forge.account('ben'), await forge.account('quiet')];
  await quiet.patch('/api/v1/user/settings', { hide_activity: true });
  await quiet.put('/api/v1/repos/ada/engine/subscription');

  assert.deepEqual(await namesAt(ben, '/api/v1/repos/ada/engine/reviewers'), ['ada']);
  await ada.put('/api/v1/repos/ada/engine/collaborators/quiet', { permission: 'read' });
  assert.deepEqual(await namesAt(ben, '/api/v1/repos/ada/engine/reviewers'), ['ada', 'quiet'], 'involved');
});

test('signed-in viewers of a repository see its assignable users in pages', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.repository('secret', { private: true });
  const ben = await forge.account('ben');
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'write' });

  for (const list of ['assignees', 'reviewers']) {
    assert.equal((await forge.get(`/api/v1/repos/ada/engine/${list}`)).status, 401);
    assert.equal((await forge.get(`/api/v1/repos/ada/secret/${list}`)).status, 404);
    assert.equal((await ben.get(`/api/v1/repos/ada/secret/${list}`)).status, 404);
    const page = await ben.get(`/api/v1/repos/ada/engine/${list}?limit=1&page=2`);
    assert.deepEqual(names(page.body), ['ben']);
    assert.equal(page.headers.get('x-total-count'), '2');
  }
});
