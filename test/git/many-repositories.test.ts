import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GIT_LIMITS } from '../../src/git/limits.ts';
import { buildCommit, commitTo, MAIN, openGitFixture } from './git-fixture.ts';

test('more repositories are read concurrently than the limit of git processes for reading', async (t) => {
  const { storage, database, reopen } = await openGitFixture(t);
  const ids = Array.from({ length: GIT_LIMITS.catFileProcessesMax * 3 }, (_, index) => 1000 + index);
  const commit = buildCommit('sha1', { a: '1' });
  for (const id of ids) {
    await database.transaction((tx) => storage.refs.create(id, { head: MAIN, objectFormat: 'sha1' }, tx));
    await commitTo(storage, id, commit.objects, [{ ref: MAIN, old: null, new: commit.oid }]);
  }
  const reader = reopen();
  const read = await Promise.all(
    ids.map(async (id) => {
      const snapshot = await reader.refs.open(id);
      const { tree } = await snapshot.objects.readCommit(commit.oid);
      return (await snapshot.objects.readTree(tree)).length;
    }),
  );
  assert.deepEqual(
    read,
    ids.map(() => 1),
  );
});
