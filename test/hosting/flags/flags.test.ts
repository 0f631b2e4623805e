import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FLAG_LIMITS } from '../../../src/hosting/flags/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';

const FLAGS = '/api/v1/repos/ada/engine/flags';

test('site administrators flag repositories', async (t) => {
  const forge = await startForge(t, { settings: { repositoryFlags: 'true' } });
  const ada = await forge.account('ada');
  const { root } = forge;
  await ada.repository('engine', { private: true });
  const flags = async () => (await root.get(FLAGS)).body;

  await t.test('one by one, and again without an effect', async () => {
    assert.deepEqual(await flags(), []);
    for (const flag of ['looms', 'a b', 'looms']) {
      const added = await root.put(`${FLAGS}/${encodeURIComponent(flag)}`);
      assert.deepEqual([added.status, added.text], [204, '']);
    }
    assert.deepEqual(await flags(), ['a b', 'looms']);
    assert.equal((await root.get(`${FLAGS}/looms`)).status, 204);
    assert.equal((await root.get(`${FLAGS}/Looms`)).status, 404);
    assert.equal((await root.delete(`${FLAGS}/looms`)).status, 204);
    assert.equal((await root.delete(`${FLAGS}/looms`)).status, 204);
    assert.deepEqual(await flags(), ['a b']);
  });

  await t.test('all at once', async () => {
    assert.equal((await root.put(FLAGS, { flags: ['y', 'x', 'y'] })).status, 204);
    assert.deepEqual(await flags(), ['x', 'y']);
    const page = await root.get(`${FLAGS}?limit=1&page=2`);
    assert.deepEqual([page.body, page.headers.get('x-total-count')], [['y'], '2']);
    assert.equal((await root.delete(FLAGS)).status, 204);
    assert.deepEqual(await flags(), []);
    const changed = await eventsOf(forge.forge.running.engines.database, 'repository.flags');
    assert.equal(changed.length, 5);
    assert.deepEqual(changed[3], { kind: 'repository.flags-changed', actor: root.name, flags: ['x', 'y'] });
  });

  await t.test('403: other users, even the owner', async () => {
    for (const send of [
      () => ada.get(FLAGS),
      () => ada.put(FLAGS, { flags: ['x'] }),
      () => ada.delete(FLAGS),
      () => ada.get(`${FLAGS}/x`),
      () => ada.put(`${FLAGS}/x`),
      () => ada.delete(`${FLAGS}/x`),
    ])
      assert.equal((await send()).status, 403);
    assert.equal((await forge.get(FLAGS)).status, 401);
    assert.deepEqual(await flags(), []);
  });

  await t.test('422: flags that are too long, too many, or no line of text', async () => {
    const many = Array.from({ length: FLAG_LIMITS.flagsPerRepositoryMax + 1 }, (_, index) => `f${index}`);
    for (const bad of [['x'.repeat(FLAG_LIMITS.flagCharsMax + 1)], [''], ['a\nb'], ['\0'], many])
      assert.equal((await root.put(FLAGS, { flags: bad })).status, 422, bad[0]);
    for (const bad of [{}, { flag: ['x'] }, { flags: null }])
      assert.equal((await root.put(FLAGS, bad)).status, 422, 'a missing list does not remove all flags');
    assert.equal((await root.put(FLAGS, { flags: many.slice(1) })).status, 204);
    assert.equal((await root.put(`${FLAGS}/one-more`)).status, 422);
  });

  await t.test('404: a missing repository', async () => {
    assert.equal((await root.get('/api/v1/repos/ada/none/flags')).status, 404);
    assert.equal((await root.put('/api/v1/repos/ada/none/flags/x')).status, 404);
  });
});

test('404: without the setting, there are no flags', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');

  assert.equal((await forge.root.get(FLAGS)).status, 404);
  assert.equal((await forge.root.put(`${FLAGS}/x`)).status, 404);
});
