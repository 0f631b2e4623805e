import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { afterTest } from '../../support/after-test.ts';
import { mirrorOf } from '../../support/git-folder.ts';
import { git, MAIN } from '../git-fixture.ts';
import { usedRepository } from '../used-repository.ts';

// Runs once: no outcome depends on the database.

/** Makes hard links fail as a file system without them does. @returns the number of attempts so far */
function withoutHardLinks(t: TestContext, code: string): () => number {
  const link = t.mock.method(files, 'link', async () => {
    throw Object.assign(new Error(`${code}: operation not permitted`), { code });
  });
  syncBuiltinESMExports();
  afterTest(t, () => {
    link.mock.restore();
    syncBuiltinESMExports();
  });
  return () => link.mock.callCount();
}

for (const code of ['EPERM', 'ENOTSUP']) {
  test(`refs are mirrored, imported and forked on a file system without hard links (${code})`, async (t) => {
    const used = await usedRepository(t);
    const { storage, id, gitDir } = used;
    const attempts = withoutHardLinks(t, code);
    await mirrorOf(storage, await storage.refs.open(id));

    assert.equal(git(gitDir, ['rev-parse', MAIN]), used.third.oid);
    const [refs, copy] = ['packed-refs', 'mirrored-refs'].map((name) => join(gitDir, name));
    assert.equal(readFileSync(copy ?? '', 'utf8'), readFileSync(refs ?? '', 'utf8'));
    assert.equal(statSync(refs ?? '').nlink, 1);
    git(gitDir, ['update-ref', 'refs/heads/by-hand', used.second.oid]);
    assert.equal((await storage.upkeep.importRefs(id)).length, 1);
    await storage.writes.fork(id, { refs: 'all' }, (tx, create) => create(tx, 8));
    assert.deepEqual((await storage.upkeep.verify(8)).problems, []);
    assert.ok(attempts() > 1);
  });
}
