import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { decide } from '../../../src/api/access/policy.ts';
import { ANONYMOUS, deployKeyViewer, type Viewer } from '../../../src/api/access/viewer.ts';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { startForge } from '../../support/forge/forge.ts';
import { newEd25519 } from '../../support/keys/ssh-keys.ts';

const LOOM = '/api/v1/repos/ada/loom';
const PATH = { owner: 'ada', name: 'loom' };

function failsAs(kind: string) {
  return (error: unknown) => error instanceof ForgeError && error.failure.kind === kind;
}

/** A private repository, another one, and a way to add deploy keys to the first. */
async function startWithKeys(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.post('/api/v1/user/repos', { name: 'loom', private: true, auto_init: true });
  await ada.repository('mill');
  const { services } = forge.forge.running;
  const addKey = async (isReadOnly: boolean) => {
    const body = { key: newEd25519().line, title: `read only: ${isReadOnly}`, read_only: isReadOnly };
    const { id } = (await ada.post(`${LOOM}/keys`, body)).body;
    return { id, viewer: deployKeyViewer(id) };
  };
  /** Moves `main` to the commit of another branch, as `pusher`. */
  const push = async (pusher: Viewer) => {
    const { repository } = await services.repositories.get(pusher, PATH, REPOSITORY.fetch);
    const file = { content: '', message: 'Add', branch: 'main', new_branch: `next-${Date.now()}` };
    const made = await ada.post(`${LOOM}/contents/${file.new_branch}`, file);
    assert.equal(made.status, 201, made.text);
    return services.branches.write({
      repository,
      origin: { kind: 'push' },
      branch: 'main',
      pusher,
      build: async () => ({ commit: made.body.commit.sha, result: made.body.commit.sha }),
    });
  };
  return { ada, services, addKey, push };
}

test('a deploy key reads or writes the code of its repository, and sees no other repository', async (t) => {
  const { services, addKey } = await startWithKeys(t);
  for (const isReadOnly of [true, false]) {
    const { viewer } = await addKey(isReadOnly);
    const permitted = await services.repositories.get(viewer, PATH, REPOSITORY.fetch);
    assert.equal(permitted.units.code, isReadOnly ? 'read' : 'write');
    assert.equal(permitted.units.issues, 'none');
    assert.equal(decide(viewer, REPOSITORY.push, permitted, 'user'), isReadOnly ? 'forbidden' : 'granted');
    await assert.rejects(
      services.repositories.get(viewer, { owner: 'ada', name: 'mill' }, REPOSITORY.fetch),
      failsAs('not_found'),
    );
  }
  const permitted = await services.repositories.get(
    ANONYMOUS,
    { owner: 'ada', name: 'mill' },
    REPOSITORY.fetch,
  );
  assert.equal(permitted.units.code, 'read');
});

test('a deleted deploy key opens nothing, also in the middle of a push', async (t) => {
  const { ada, services, addKey, push } = await startWithKeys(t);
  const { id, viewer } = await addKey(false);
  assert.equal((await ada.get(`${LOOM}/branches/main`)).body.commit.id === (await push(viewer)), false);
  services.pushes.refsMoving.subscribe(async (_session, _updates, { pusher }) => {
    if (pusher === viewer) await ada.delete(`${LOOM}/keys/${id}`);
  });
  await assert.rejects(push(viewer), failsAs('not_found'));
  await assert.rejects(services.transport.openForPush(viewer, PATH), failsAs('not_found'));
});

test('a deploy key pushes to a protected branch only if the protection lists deploy keys', async (t) => {
  const { ada, addKey, push } = await startWithKeys(t);
  const { viewer } = await addKey(false);
  const protection = `${LOOM}/branch_protections`;
  const rule = { rule_name: 'main', enable_push: true, enable_push_whitelist: true };
  assert.equal((await ada.post(protection, rule)).status, 201);
  await assert.rejects(push(viewer), failsAs('forbidden'));
  const edited = await ada.patch(`${protection}/main`, { push_whitelist_deploy_keys: true });
  assert.equal(edited.status, 200, edited.text);
  const commit = await push(viewer);
  assert.equal((await ada.get(`${LOOM}/branches/main`)).body.commit.id, commit);
});
