import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '../../../src/api/access/viewer.ts';
import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { setRow } from './rows.ts';

const ENGINE = '/api/v1/repos/ada/engine';

test('403: a mirror rejects file writes and pushes, its record marks it, and all other requests work', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  const tip = await git(folder, ['rev-parse', 'HEAD']);
  await commitAll(folder, 'More');
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('repositories').set({ is_mirror: 1 }).execute(),
  );

  const { sha } = (await ada.get(`${ENGINE}/contents/README.md`)).body;
  for (const [method, path, body] of [
    ['POST', 'new', { content: '' }],
    ['PUT', 'README.md', { content: '', sha }],
    ['DELETE', 'README.md', { sha }],
  ] as const) {
    const answer = await ada.send(method, `${ENGINE}/contents/${path}`, { json: body });
    assert.equal(answer.status, 403, `${method}: ${answer.text}`);
  }
  const pushed = await tryGit(folder, ['push', 'origin', 'HEAD']);
  assert.match(pushed.stderr, /mirror[\s\S]*403/);
  assert.equal((await ada.get(ENGINE)).body.mirror, true);
  for (const archived of [true, false])
    assert.equal((await ada.patch(ENGINE, { name: 'motor', archived })).status, 422);
  assert.equal((await ada.get(ENGINE)).body.archived, false);

  const renamed = await ada.patch(ENGINE, { name: 'motor' });
  assert.deepEqual([renamed.status, renamed.body.mirror], [200, true]);
  assert.match(await git(folder, ['ls-remote', ada.remote('ada/engine'), 'HEAD']), new RegExp(`^${tip}`));
  assert.equal((await ada.delete('/api/v1/repos/ada/motor')).status, 204);
});

test('updates of a mirror move its refs, and their event names the origin', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine', { auto_init: true });
  const { services, engines } = forge.forge.running;
  await setRow(forge, id, { is_mirror: 1 });
  const { repository } = await services.repositories.getById(ANONYMOUS, id, REPOSITORY.fetch);
  await using session = await engines.git.writes.begin(id);
  const tip = session.base.ref('refs/heads/main') ?? null;

  const results = await services.pushes.push(session, {
    repository,
    updates: [{ ref: 'refs/heads/copy', old: null, new: tip }],
    atomic: true,
    pusher: ANONYMOUS,
    origin: { kind: 'mirror' },
  });

  assert.deepEqual(results, [{ ref: 'refs/heads/copy', outcome: 'moved' }]);
  const [last] = (await eventsOf(engines.database, 'refs.changed')).slice(-1);
  assert.deepEqual([last?.actor, last && 'via' in last ? last.via : undefined], [null, 'mirror']);
});
