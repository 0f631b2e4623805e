import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCommit, commitTo, git, MAIN, openGitFixture } from './git-fixture.ts';

for (const format of ['sha1', 'sha256'] as const) {
  test(`a commit written in process is read back, also by git (${format})`, async (t) => {
    const { storage, id } = await openGitFixture(t, format);
    const first = buildCommit(format, { 'a.txt': 'one\n' });

    const results = await commitTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);

    assert.deepEqual(results, [{ ref: MAIN, outcome: 'moved' }]);
    await using snapshot = await storage.open(id);
    assert.equal(snapshot.ref(MAIN), first.oid);
    const commit = await snapshot.objects.readCommit(first.oid);
    assert.equal(commit.tree, first.tree);
    const { gitDir } = await storage.mirror(snapshot);
    assert.equal(git(gitDir, ['rev-parse', 'HEAD']), first.oid);
    assert.equal(git(gitDir, ['show', 'main:a.txt']), 'one');
    git(gitDir, ['fsck', '--strict']);
  });
}
