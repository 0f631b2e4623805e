import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { names } from '../../support/forge/organizations.ts';
import { until } from '../../support/until.ts';

const ENGINE = '/api/v1/user/starred/ada/engine';

async function starsOf(who: Person, path = 'ada/engine'): Promise<number> {
  return (await who.get(`/api/v1/repos/${path}`)).body.stars_count;
}

async function starredCountOf(forge: TestForge, name: string): Promise<number> {
  return (await forge.root.get(`/api/v1/users/${name}`)).body.starred_repos_count;
}

async function namesAt(who: Person | TestForge, path: string): Promise<readonly string[]> {
  const answer = await who.get(path);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('x-total-count'), String(answer.body.length), path);
  return names(answer.body);
}

async function adaAndBen(forge: TestForge): Promise<{ ada: Person; ben: Person }> {
  const ada = await forge.account('ada');
  await ada.repository('engine');
  return { ada, ben: await forge.account('ben') };
}

test('a star lasts until it is removed, and a repeated star counts once', async (t) => {
  const forge = await startForge(t);
  const { ben } = await adaAndBen(forge);
  const statuses: number[] = [];
  const say = async (method: string) => statuses.push((await ben.send(method, ENGINE)).status);

  await say('GET');
  await say('PUT');
  await say('PUT');
  await say('GET');
  assert.equal(await starsOf(ben), 1);
  assert.equal(await starredCountOf(forge, 'ben'), 1);
  await say('DELETE');
  await say('DELETE');
  await say('GET');

  assert.deepEqual(statuses, [404, 204, 204, 204, 204, 204, 404]);
  assert.equal(await starsOf(ben), 0);
  assert.equal(await starredCountOf(forge, 'ben'), 0);
  const { database } = forge.forge.running.engines;
  const events = await eventsOf(database, 'repository.');
  assert.deepEqual(events.slice(1), [
    { kind: 'repository.starred', actor: 'ben' },
    { kind: 'repository.unstarred', actor: 'ben' },
  ]);
});

test('concurrent stars count once per user', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);

  const answers = await Promise.all([ben, ben, ben, ada, forge.root].map((who) => who.put(ENGINE)));

  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([204]));
  assert.equal(await starsOf(ada), 3);
});

test('an anonymous caller cannot star, and gets no hint of hidden repositories', async (t) => {
  const forge = await startForge(t);
  const { ada } = await adaAndBen(forge);
  await ada.repository('secret', { private: true });

  for (const method of ['GET', 'PUT', 'DELETE']) {
    assert.equal((await forge.send(method, ENGINE)).status, 401, method);
    const hidden = await forge.send(method, '/api/v1/user/starred/ada/secret');
    const missing = await forge.send(method, '/api/v1/user/starred/ada/nothing');
    assert.deepEqual([hidden.status, hidden.text], [missing.status, missing.text]);
    assert.equal(hidden.status, 404);
  }
});

test('a star needs the scopes for users and for repositories', async (t) => {
  const forge = await startForge(t);
  const { ben } = await adaAndBen(forge);
  const statusWith = async (method: string, scopes: string[]) =>
    (await ben.send(method, ENGINE, { as: { token: await ben.tokenFor(scopes) } })).status;

  assert.equal(await statusWith('PUT', ['write:user']), 403);
  assert.equal(await statusWith('PUT', ['write:repository']), 403);
  assert.equal(await statusWith('PUT', ['write:user', 'write:repository']), 204);
  assert.equal(await statusWith('GET', ['read:user']), 403);
  assert.equal(await statusWith('GET', ['read:user', 'read:repository']), 204);
});

test('a list of starred repositories has those that the viewer may see, latest first', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  await ada.repository('secret', { private: true });
  await ada.repository('open');
  for (const name of ['secret', 'engine', 'open']) {
    await ada.put(`/api/v1/user/starred/ada/${name}`);
    // Stars of one millisecond have no order of their own.
    const starredAt = Date.now();
    await until(() => Date.now() > starredAt);
  }

  assert.deepEqual(await namesAt(ada, '/api/v1/user/starred'), ['ada/open', 'ada/engine', 'ada/secret']);
  assert.deepEqual(await namesAt(ben, '/api/v1/users/ada/starred'), ['ada/open', 'ada/engine']);
  assert.deepEqual(await namesAt(forge, '/api/v1/users/ada/starred'), ['ada/open', 'ada/engine']);
  assert.equal((await forge.get('/api/v1/user/starred')).status, 401);
  const page = await ada.get('/api/v1/user/starred?limit=2&page=2');
  assert.deepEqual(names(page.body), ['ada/secret']);
  assert.equal(page.headers.get('x-total-count'), '3');
  assert.match(page.headers.get('link') ?? '', /page=1>; rel="first"/);
});

test('lists never show the stars of a hidden user or hidden stargazers', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const shy = await forge.account('shy', { visibility: 'private' });
  const quiet = await forge.account('quiet');
  await quiet.patch('/api/v1/user/settings', { hide_activity: true });
  for (const who of [ben, shy, quiet]) await who.put(ENGINE);

  assert.equal((await ada.get('/api/v1/users/shy/starred')).status, 404);
  assert.deepEqual(await namesAt(ada, '/api/v1/users/quiet/starred'), []);
  assert.deepEqual(await namesAt(quiet, '/api/v1/users/quiet/starred'), ['ada/engine']);
  assert.deepEqual(await namesAt(ada, '/api/v1/repos/ada/engine/stargazers'), ['ben']);
  assert.deepEqual(await namesAt(forge, '/api/v1/repos/ada/engine/stargazers'), ['ben']);
  assert.deepEqual(await namesAt(quiet, '/api/v1/repos/ada/engine/stargazers'), ['ben', 'quiet']);
  assert.deepEqual(await namesAt(forge.root, '/api/v1/repos/ada/engine/stargazers'), ['ben', 'shy', 'quiet']);
  assert.equal(await starsOf(ada), 3);

  const { id } = (await forge.get('/api/v1/users/quiet')).body;
  const as = { token: await forge.root.tokenFor(['all', 'public-only']) };
  const answers = await Promise.all(
    ['users/quiet/starred', 'repos/ada/engine/stargazers', `repos/search?starredBy=${id}`].map(
      async (path) => (await forge.get(`/api/v1/${path}`, { as })).body,
    ),
  );
  assert.deepEqual(
    [answers[0], names(answers[1]), answers[2].data],
    [[], ['ben'], []],
    'by a public-only token',
  );
});

test('the list of stargazers of a repository is paged', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  // In the order of their ids, which decides between stars of the same millisecond.
  for (const who of [forge.root, ada, ben]) await who.put(ENGINE);

  const page = await forge.get('/api/v1/repos/ada/engine/stargazers?limit=2');

  assert.deepEqual(names(page.body), ['root', 'ada']);
  assert.equal(page.headers.get('x-total-count'), '3');
  assert.equal(page.headers.get('access-control-expose-headers'), 'Link, X-Total-Count');
});

test('an archived repository can be starred', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await tx.updateTable('repositories').set({ archived_at: 1 }).execute();
  });

  assert.equal((await ben.put(ENGINE)).status, 204);
  assert.equal(await starsOf(ada), 1);
});

test('deleting a repository deletes its stars and updates the counts of its stargazers', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  await ada.repository('other');
  for (const name of ['engine', 'other']) await ben.put(`/api/v1/user/starred/ada/${name}`);
  assert.equal(await starredCountOf(forge, 'ben'), 2);

  assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);

  assert.equal(await starredCountOf(forge, 'ben'), 1);
  assert.deepEqual(await namesAt(ben, '/api/v1/user/starred'), ['ada/other']);
});

test('deleting a user deletes their stars, even if it also deletes their repositories', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  await ben.repository('loom');
  for (const who of [ada, ben]) {
    await who.put(ENGINE);
    await who.put('/api/v1/user/starred/ben/loom');
  }
  await ben.put('/api/v1/repos/ada/engine/subscription');
  const before = (await ada.get('/api/v1/repos/ada/engine')).body;
  assert.deepEqual([before.stars_count, before.watchers_count], [2, 2]);

  assert.equal((await forge.root.delete('/api/v1/admin/users/ben?purge=true')).status, 204);

  const after = (await ada.get('/api/v1/repos/ada/engine')).body;
  assert.deepEqual([after.stars_count, after.watchers_count], [1, 1]);
  assert.equal(await starredCountOf(forge, 'ada'), 1);
});

test('B8: a repository that becomes private loses its stars, and the watches of users who can no longer see it', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const cy = await forge.account('cy');
  await ada.put('/api/v1/repos/ada/engine/collaborators/cy', { permission: 'read' });
  for (const who of [ada, ben, cy]) {
    await who.put(ENGINE);
    await who.put('/api/v1/repos/ada/engine/subscription');
  }

  assert.equal((await ada.patch('/api/v1/repos/ada/engine', { private: true })).status, 200);

  const { body } = await ada.get('/api/v1/repos/ada/engine');
  assert.deepEqual([body.stars_count, body.watchers_count], [0, 2]);
  assert.deepEqual(await namesAt(ben, '/api/v1/user/starred'), []);
  assert.equal(await starredCountOf(forge, 'ben'), 0);
  assert.deepEqual(await namesAt(ada, '/api/v1/repos/ada/engine/subscribers'), ['ada', 'cy']);
});

test('B8: a repository that becomes private during a request is not starred', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const { engines, services } = forge.forge.running;
  const get = services.repositories.get.bind(services.repositories);
  services.repositories.get = async (...args) => {
    const found = await get(...args);
    await engines.database.transaction(async (tx) => {
      await tx.updateTable('repositories').set({ is_private: 1 }).execute();
    });
    return found;
  };

  const answer = await ben.put(ENGINE);

  services.repositories.get = get;
  assert.equal(answer.status, 404);
  assert.equal(await starsOf(ada), 0);
});

test('an organization cannot star or watch', async (t) => {
  const forge = await startForge(t);
  const { ada } = await adaAndBen(forge);
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const headers = { sudo: 'guild' };

  assert.equal((await forge.root.send('PUT', ENGINE, { headers })).status, 422);
  assert.equal(
    (await forge.root.send('PUT', '/api/v1/repos/ada/engine/subscription', { headers })).status,
    422,
  );
});
