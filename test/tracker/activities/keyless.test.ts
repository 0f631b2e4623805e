import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployKeyViewer } from '../../../src/api/access/viewer.ts';
import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { commitTo, startBackend } from '../../hosting/mirrors/backend.ts';
import { ALLOWED, MIGRATE, synced } from '../../hosting/mirrors/sync.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git } from '../../support/git/git.ts';
import { newEd25519 } from '../../support/keys/ssh-keys.ts';
import { readAll } from '../event-feed/feed.ts';
import { commitFile, ENGINE, startEngine } from '../pulls/pulls.ts';
import { actsAt, feedOf, recorded } from './feeds.ts';

test('what a mirror copies is in feeds as what its owner has synchronized', async (t) => {
  const source = await startBackend(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const first = await commitTo(source.folder, 'main', 'first');
  await commitTo(source.folder, 'side', 'side', { onto: first });
  await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', mirror: true });
  await commitTo(source.folder, 'main', 'second');
  await git(source.folder, ['tag', 'v1', first]);
  await git(source.folder, ['update-ref', '-d', 'refs/heads/side']);
  await ada.post(`${ENGINE}/mirror-sync`);
  await synced(forge);
  await recorded(forge);
  const acts = await actsAt(ada, feedOf('ada/engine'));
  assert.deepEqual(
    [acts[0], ...acts.slice(1).toSorted()],
    [
      'create_repo ada',
      'mirror_sync_create ada refs/tags/v1',
      'mirror_sync_delete ada refs/heads/side',
      'mirror_sync_push ada refs/heads/main {}',
    ],
  );
  const moved = (await readAll(ada)).events.findLast(({ kind }) => kind === 'refs.changed');
  assert.deepEqual(moved?.actor, { kind: 'mirror', id: null, login: null });
});

test('what a deploy key pushes is in feeds as what the owner of the repository has pushed', async (t) => {
  const { forge, ada } = await startEngine(t);
  const { services } = forge.forge.running;
  const key = await ada.post(`${ENGINE}/keys`, { key: newEd25519().line, title: 'build', read_only: false });
  const commit = await commitFile(ada, 'a.txt', 'a', { branch: 'next', from: 'main' });
  const pusher = deployKeyViewer(key.body.id);
  const path = { owner: 'ada', name: 'engine' };
  const { repository } = await services.repositories.get(pusher, path, REPOSITORY.fetch);
  await services.branches.write({
    repository,
    origin: { kind: 'push' },
    branch: 'main',
    pusher,
    build: async () => ({ commit, result: commit }),
  });
  await recorded(forge);
  assert.deepEqual((await actsAt(ada, feedOf('ada/engine'))).at(-1), 'commit_repo ada refs/heads/main {}');
  const moved = (await readAll(ada)).events.findLast(({ kind }) => kind === 'refs.changed');
  assert.deepEqual(moved?.actor, { kind: 'deploy-key', id: null, login: null });
});
