import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY_LIMITS } from '../../../src/code/keys/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { newEd25519 } from '../../support/keys/ssh-keys.ts';

const LOOM = '/api/v1/repos/ada/loom';
const KEYS = `${LOOM}/keys`;

test('administrators of a repository add, list, filter, get and delete its deploy keys', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('loom');
  await ada.put(`${LOOM}/collaborators/ben`, { permission: 'write' });
  const { line } = newEd25519();

  const created = await ada.post(KEYS, { key: `${line} build`, title: 'build', read_only: true });
  assert.equal(created.status, 201, created.text);
  const { id, key_id, repository, ...rest } = created.body;
  assert.equal(repository.full_name, 'ada/loom');
  assert.deepEqual([rest.key, rest.title, rest.read_only], [`${line} build`, 'build', true]);
  assert.equal(rest.url, `${forge.url}${KEYS}/${id}`);
  const writing = (await ada.post(KEYS, { key: newEd25519().line, title: 'release' })).body;
  assert.equal(writing.read_only, false);

  assert.deepEqual((await ada.get(KEYS)).body, [created.body, writing]);
  assert.deepEqual((await ada.get(`${KEYS}?key_id=${key_id}`)).body, [created.body]);
  const print = encodeURIComponent(writing.fingerprint);
  assert.deepEqual((await ada.get(`${KEYS}?fingerprint=${print}`)).body, [writing]);
  assert.deepEqual((await ada.get(`${KEYS}/${id}`)).body, created.body);
  for (const answer of [await ben.get(KEYS), await ben.post(KEYS, { key: line, title: 'x' })])
    assert.equal(answer.status, 403);
  assert.equal((await ben.delete(`${KEYS}/${id}`)).status, 403);

  assert.equal((await ada.delete(`${KEYS}/${id}`)).status, 204);
  assert.equal((await ada.get(`${KEYS}/${id}`)).status, 404);
  assert.equal((await ada.delete(`${KEYS}/${id}`)).status, 404);
  const events = await eventsOf(forge.forge.running.engines.database, 'deploy-key.');
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['deploy-key.created', 'deploy-key.created', 'deploy-key.deleted'],
  );
});

test('several repositories share a deploy key, and the last one to drop it frees it for a user', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const name of ['loom', 'engine', 'mill']) await ada.repository(name);
  const { line } = newEd25519();
  const [loom, engine, mill] = await Promise.all(
    ['loom', 'engine', 'mill'].map(async (name) => {
      const { status, body } = await ada.post(`/api/v1/repos/ada/${name}/keys`, {
        key: line,
        title: 'build',
      });
      assert.equal(status, 201);
      return body;
    }),
  );
  assert.equal(loom.key_id, engine.key_id);
  assert.equal(loom.key_id, mill.key_id);
  const asUser = () => ada.post('/api/v1/user/keys', { key: line, title: 'mine' });
  assert.equal((await asUser()).status, 422);
  // The key of one repository is not reached through another one.
  assert.equal((await ada.get(`/api/v1/repos/ada/engine/keys/${loom.id}`)).status, 404);
  assert.equal((await ada.delete(`/api/v1/repos/ada/engine/keys/${loom.id}`)).status, 404);

  assert.equal((await ada.delete(`${KEYS}/${loom.id}`)).status, 204);
  assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);
  assert.equal((await asUser()).status, 422);
  assert.equal((await ada.delete('/api/v1/repos/ada/mill')).status, 204);
  assert.equal((await asUser()).status, 201);
  const taken = await ada.post(KEYS, { key: line, title: 'build' });
  assert.equal(taken.status, 422);
  assert.match(taken.body.message, /non-deploy key/);
});

test('422 for keys and titles in use, 423 for an archived repository, where keys can still be deleted', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const { line } = newEd25519();
  const { id } = (await ada.post(KEYS, { key: line, title: 'build' })).body;
  for (const [key, title, why] of [
    [line, 'other', /already been added/],
    [newEd25519().line, 'build', /same name/],
    ['ssh-ed25519 AAAA', 'broken', /^Invalid key content/],
    [newEd25519().line, '', /Required/],
  ] as const) {
    const { status, body } = await ada.post(KEYS, { key, title });
    assert.equal(status, 422);
    assert.match(body.message, why);
  }
  await ada.patch(LOOM, { archived: true });
  assert.equal((await ada.post(KEYS, { key: newEd25519().line, title: 'late' })).status, 423);
  assert.equal((await ada.get(KEYS)).body.length, 1);
  assert.equal((await ada.delete(`${KEYS}/${id}`)).status, 204);
  await ada.patch(LOOM, { archived: false });
  for (let count = 0; count < KEY_LIMITS.deployKeysPerRepositoryMax; count += 1)
    assert.equal((await ada.post(KEYS, { key: newEd25519().line, title: `key ${count}` })).status, 201);
  assert.match((await ada.post(KEYS, { key: newEd25519().line, title: 'more' })).body.message, /at most 100/);
});
