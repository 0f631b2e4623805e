import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';

// Runs once: no outcome depends on the database.

const REPO = '/api/v1/repos/ada/engine';

test('operations that Quire lacks on purpose return 404 with a message that says so', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const absent: readonly (readonly [string, string, string])[] = [
    ['GET', '/api/v1/actions/run', 'actions'],
    ['GET', '/api/v1/admin/actions/runners', 'actions'],
    ['GET', '/api/v1/admin/runners/registration-token', 'actions'],
    ['PUT', '/api/v1/orgs/guild/actions/secrets/key', 'actions'],
    ['DELETE', '/api/v1/user/actions/variables/name', 'actions'],
    ['GET', `${REPO}/actions/runs?limit=1`, 'actions'],
    ['POST', `${REPO}/actions/workflows/build.yml/dispatches`, 'actions'],
    ['GET', '/api/v1/activitypub/actor', 'ActivityPub'],
    ['POST', '/api/v1/activitypub/user-id/1/inbox', 'ActivityPub'],
    ['POST', '/api/v1/user/activitypub/follow', 'ActivityPub'],
    ['GET', '/api/v1/packages/ada', 'packages'],
    ['DELETE', '/api/v1/packages/ada/npm/loom/1.0.0', 'packages'],
  ];
  for (const [method, path, what] of absent) {
    const { status, body } = await ada.send(method, path);
    assert.deepEqual(
      [status, body.message, body.errors],
      [404, `Quire does not have ${what}.`, []],
      `${method} ${path}`,
    );
  }
  // The answer is the same for everyone, so it shows nothing about a private repository.
  const { status, body } = await forge.get(`${REPO}/actions/runs`);
  assert.deepEqual([status, body.message], [404, 'Quire does not have actions.']);
});

test('other unknown paths have the usual message', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('actions');
  const usual = "The target couldn't be found.";
  for (const path of ['/api/v1/repos/ada/engine/action', '/api/v1/package', '/api/v1/repos/actions/x/y'])
    assert.equal((await ada.get(path)).body.message, usual, path);
  assert.equal((await ada.get('/api/v1/repos/ada/actions')).status, 200);
});
