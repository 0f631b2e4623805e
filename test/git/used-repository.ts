import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { SILENT_LOG } from '../../src/base/core/log.ts';
import { createLocalStorage } from '../../src/git/create.ts';
import { Engine } from '../../src/git/engine.ts';
import type { ObjectFormat } from '../../src/git/format/model.ts';
import { afterTest } from '../support/after-test.ts';
import { buildCommit, commitFilesTo, type GitFixture, MAIN, openGitFixture } from './git-fixture.ts';

export interface UsedRepository extends GitFixture {
  readonly gitDir: string;
}

/** Creates three commits on main, and one that is unused since a forced move. */
export async function usedRepository(t: TestContext, format: ObjectFormat = 'sha1') {
  const fixture = await openGitFixture(t, format);
  const storage = createLocalStorage({
    database: fixture.database,
    folder: fixture.folder,
    pruneGraceMs: 0,
    freshMoveMs: 24 * 60 * 60_000,
  });
  afterTest(t, () => storage.close());
  const first = buildCommit(format, { a: '1' });
  const second = buildCommit(format, { a: '1', b: '2' }, [first.oid]);
  const unused = buildCommit(format, { unused: 'x' }, [second.oid]);
  const third = buildCommit(format, { c: '3' }, [second.oid]);
  for (const [old, commit] of [
    [null, first],
    [first.oid, second],
    [second.oid, unused],
    [unused.oid, third],
  ] as const) {
    await commitFilesTo(storage, fixture.id, commit.objects, [{ ref: MAIN, old, new: commit.oid }]);
  }
  const gitDir = join(fixture.folder, '07', '7.git');
  return { ...fixture, storage, gitDir, first, second, third, unused };
}

/** Names of the packs of a repository. */
export function packsOf({ gitDir }: Pick<UsedRepository, 'gitDir'>): string[] {
  return readdirSync(join(gitDir, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));
}

/** Opens the repositories again, below the storage. */
export function engineOf({ database, folder }: GitFixture): Engine {
  return new Engine({ database, root: folder, log: SILENT_LOG, ownsFolder: true });
}
