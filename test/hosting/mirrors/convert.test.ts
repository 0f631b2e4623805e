import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitTo, startBackend } from './backend.ts';
import { ALLOWED, MIGRATE, synced } from './sync.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const CONVERT = `${ENGINE}/convert`;

test('a converted mirror takes changes, follows no source, and stores no credentials', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', mirror: true });
  const file = { content: Buffer.from('x').toString('base64'), message: 'Add' };
  assert.equal((await ada.post(`${ENGINE}/contents/new.txt`, file)).status, 403);

  const converted = await ada.post(CONVERT);

  assert.equal(converted.status, 200, converted.text);
  const { mirror, mirror_interval, mirror_updated, original_url } = converted.body;
  assert.deepEqual([mirror, mirror_interval, mirror_updated], [false, '', '0001-01-01T00:00:00Z']);
  assert.notEqual(original_url, '');
  assert.equal((await ada.post(`${ENGINE}/contents/new.txt`, file)).status, 201);
  assert.equal((await ada.post(`${ENGINE}/mirror-sync`)).status, 400);
  const { database } = forge.forge.running.engines;
  assert.equal((await database.reader.selectFrom('mirrors').selectAll().execute()).length, 0);
  const changed = await eventsOf(database, 'repository.changed');
  assert.deepEqual(changed, [{ kind: 'repository.changed', actor: 'ada', changed: ['mirror'] }]);
});

test('an update of a mirror that is converted meanwhile moves no ref', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  forge.stopAfterTest();
  const ada = await forge.account('ada');
  await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', mirror: true });
  await commitTo(source.folder, 'main', 'second');
  const { pushes } = forge.forge.running.services;
  pushes.refsMoving.subscribe(async () => {
    await ada.post(CONVERT);
  });
  const before = (await ada.get(`${ENGINE}/branches/main`)).body.commit.id;

  await ada.post(`${ENGINE}/mirror-sync`);
  await synced(forge);

  assert.equal((await ada.get(`${ENGINE}/branches/main`)).body.commit.id, before);
  assert.equal((await ada.get(ENGINE)).body.mirror, false);
});

test('422: a repository that is not a mirror; 403: other users than the owner; 404: a hidden one', async (t) => {
  const forge = await startForge(t);
  const [ada, ben, eve] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('eve'),
  ];
  await ada.repository('engine', { private: true });
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'admin' });
  assert.equal((await ada.post(CONVERT)).status, 422);
  assert.equal((await ben.post(CONVERT)).status, 403);
  assert.equal((await eve.post(CONVERT)).status, 404);
  assert.equal((await ada.get(ENGINE)).body.mirror, false);
});
