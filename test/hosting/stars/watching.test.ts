import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { names, startGuild } from '../../support/forge/organizations.ts';

const SUBSCRIPTION = '/api/v1/repos/ada/engine/subscription';

async function namesAt(who: Person | TestForge, path: string): Promise<readonly string[]> {
  const answer = await who.get(path);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('x-total-count'), String(answer.body.length), path);
  return names(answer.body);
}

async function watchersOf(who: Person, path: string): Promise<number> {
  return (await who.get(`/api/v1/repos/${path}`)).body.watchers_count;
}

test('the creator of a repository watches it', async (t) => {
  const guild = await startGuild(t);
  await guild.ada.repository('engine');
  await guild.repository('handbook');
  const ben = await guild.forge.account('ben');
  await guild.forge.root.post('/api/v1/admin/users/ben/repos', { name: 'loom' });

  assert.deepEqual(await namesAt(guild.ada, '/api/v1/user/subscriptions'), ['guild/handbook', 'ada/engine']);
  assert.deepEqual(await namesAt(guild.ada, '/api/v1/repos/ada/engine/subscribers'), ['ada']);
  assert.deepEqual(await namesAt(ben, '/api/v1/repos/ben/loom/subscribers'), ['root']);
  assert.equal(await watchersOf(ben, 'ben/loom'), 1);
  assert.equal(await watchersOf(guild.ada, 'guild/handbook'), 1);
});

test('a watch lasts until it is removed, and a repeated watch counts once', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const created = await ada.repository('engine');
  const ben = await forge.account('ben');

  assert.equal((await ben.get(SUBSCRIPTION)).status, 404);
  const put = await ben.put(SUBSCRIPTION);
  const again = await ben.put(SUBSCRIPTION);
  const read = await ben.get(SUBSCRIPTION);
  assert.equal(await watchersOf(ada, 'ada/engine'), 2);
  const statuses = [
    (await ben.delete(SUBSCRIPTION)).status,
    (await ben.delete(SUBSCRIPTION)).status,
    (await ben.get(SUBSCRIPTION)).status,
  ];

  const info = {
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: created.created_at,
    url: `${created.url}/subscription`,
    repository_url: created.url,
  };
  assert.deepEqual([put.body, again.body, read.body], [info, info, info]);
  assert.deepEqual([put.status, again.status, read.status], [200, 200, 200]);
  assert.deepEqual(statuses, [204, 204, 404]);
  assert.equal(await watchersOf(ada, 'ada/engine'), 1);
  const { database } = forge.forge.running.engines;
  const events = await eventsOf(database, 'repository.');
  assert.deepEqual(events.slice(1), [
    { kind: 'repository.watched', actor: 'ben' },
    { kind: 'repository.unwatched', actor: 'ben' },
  ]);
});

test('an anonymous caller cannot watch', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.repository('secret', { private: true });

  for (const method of ['GET', 'PUT', 'DELETE']) {
    assert.equal((await forge.send(method, SUBSCRIPTION)).status, 401, method);
    assert.equal((await forge.send(method, '/api/v1/repos/ada/secret/subscription')).status, 404, method);
  }
  assert.equal((await forge.get('/api/v1/user/subscriptions')).status, 401);
});

test('a list of watched repositories has those that the viewer may see', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.repository('secret', { private: true });

  assert.deepEqual(await namesAt(ada, '/api/v1/user/subscriptions'), ['ada/secret', 'ada/engine']);
  assert.deepEqual(await namesAt(forge, '/api/v1/users/ada/subscriptions'), ['ada/engine']);
  await ada.patch('/api/v1/user/settings', { hide_activity: true });
  assert.deepEqual(await namesAt(forge, '/api/v1/users/ada/subscriptions'), []);
  const token = await ada.tokenFor(['public-only', 'read:user', 'read:repository']);
  const publicOnly = await ada.get('/api/v1/user/subscriptions', { as: { token } });
  assert.deepEqual(names(publicOnly.body), ['ada/engine']);
});

test('an archived repository can be watched', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await tx.updateTable('repositories').set({ archived_at: 1 }).execute();
  });

  assert.equal((await forge.root.put(SUBSCRIPTION)).status, 200);
  assert.equal(await watchersOf(ada, 'ada/engine'), 2);
});

test('B8: a removed collaborator no longer watches a private repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const ben = await forge.account('ben');
  const grant = () => ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'read' });
  await grant();
  await ben.put(SUBSCRIPTION);
  await ben.put('/api/v1/user/starred/ada/engine');
  assert.equal(await watchersOf(ada, 'ada/engine'), 2);

  assert.equal((await ada.delete('/api/v1/repos/ada/engine/collaborators/ben')).status, 204);

  assert.equal(await watchersOf(ada, 'ada/engine'), 1);
  assert.deepEqual(await namesAt(ada, '/api/v1/repos/ada/engine/subscribers'), ['ada']);
  assert.deepEqual(await namesAt(ben, '/api/v1/user/subscriptions'), []);
  assert.deepEqual(await namesAt(ben, '/api/v1/user/starred'), []);
  assert.deepEqual(await namesAt(ada, '/api/v1/repos/ada/engine/stargazers'), []);
  await grant();
  assert.equal((await ben.get(SUBSCRIPTION)).status, 404);
});

test('a removed collaborator of a public repository continues to watch it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const ben = await forge.account('ben');
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'read' });
  await ben.put(SUBSCRIPTION);

  await ada.delete('/api/v1/repos/ada/engine/collaborators/ben');

  assert.deepEqual(await namesAt(ada, '/api/v1/repos/ada/engine/subscribers'), ['ada', 'ben']);
});

test('B8: a user who loses access to a repository with a team is not in its lists until access returns', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  await guild.repository('handbook', { private: true });
  const team = await guild.team('readers', {
    permission: 'read',
    members: [ben],
    repositories: ['handbook'],
  });
  assert.equal((await ben.put('/api/v1/repos/guild/handbook/subscription')).status, 200);
  const subscribers = () => namesAt(guild.ada, '/api/v1/repos/guild/handbook/subscribers');
  assert.deepEqual(await subscribers(), ['ada', 'ben']);

  await guild.ada.delete(`/api/v1/teams/${team.id}/repos/guild/handbook`);
  assert.deepEqual(await subscribers(), ['ada']);
  assert.deepEqual(await namesAt(ben, '/api/v1/user/subscriptions'), []);
  assert.deepEqual(await namesAt(guild.ada, '/api/v1/users/ben/subscriptions'), []);

  await guild.ada.put(`/api/v1/teams/${team.id}/repos/guild/handbook`);
  assert.deepEqual(await subscribers(), ['ada', 'ben']);
});

test('a restricted user whose access was removed does not see a public repository that they watch', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const rita = await forge.account('rita', { restricted: true });
  await ada.put('/api/v1/repos/ada/engine/collaborators/rita', { permission: 'read' });
  assert.equal((await rita.put(SUBSCRIPTION)).status, 200);

  await ada.delete('/api/v1/repos/ada/engine/collaborators/rita');

  assert.equal(await watchersOf(ada, 'ada/engine'), 1);
  assert.deepEqual(await namesAt(rita, '/api/v1/user/subscriptions'), []);
});
