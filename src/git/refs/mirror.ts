import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faultPoint } from '../../base/core/faults.ts';
import { FILE_MODE } from '../../base/core/files/durable-files.ts';
import type { Log } from '../../base/core/log.ts';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import { failedWith, undefinedIfMissing } from '../folders/file-errors.ts';
import { linkOrCopy } from '../folders/linked-objects.ts';
import { type RepositoryFolder, randomName } from '../folders/repository-layout.ts';
import { RepositoryLocks } from '../folders/repository-locks.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { formatPackedRefs } from './packed-refs.ts';
import type { RefVersion } from './ref-versions.ts';

/** A hard link to the last mirrored refs, or a copy of them. Comparing against it finds changes by hand. */
export const MIRRORED_REFS = 'mirrored-refs';

/** The version on disk and the state of its files right after writing. */
interface Written {
  readonly version: number;
  readonly stamp: string;
}

const REPOSITORIES_REMEMBERED = 10_000;

/**
 * Writes the refs of the rows into bare repositories. The rows are authoritative: other refs on disk are replaced. Each
 * process rewrites a mirror on first use, so nothing here needs a sync to disk.
 */
export class Mirror {
  readonly #written = createCountedCache<RepositoryId, Written>({ entriesMax: REPOSITORIES_REMEMBERED });
  readonly #locks = new RepositoryLocks();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Updates the mirror to `version` or later.
   *
   * @param readCurrent reads the rows; called under the repository's lock, so that versions only increase
   */
  async updateTo(
    id: RepositoryId,
    folder: RepositoryFolder,
    version: number,
    readCurrent: () => Promise<RefVersion>,
  ): Promise<void> {
    await this.#locks.alone(id, async () => {
      const written = this.#written.get(id);
      const strays = await looseRefs(folder);
      const isUntouched = strays.length === 0 && written?.stamp === (await stampOf(folder));
      if (isUntouched && written.version >= version) return;
      faultPoint('before-mirror');
      const current = await readCurrent();
      await writeRefs(folder, current);
      await this.#removeStrays(id, strays);
      this.#written.set(id, { version: current.version, stamp: await stampOf(folder) });
    });
  }

  forget(id: RepositoryId): void {
    this.#written.delete(id);
  }

  async #removeStrays(id: RepositoryId, strays: readonly string[]): Promise<void> {
    if (strays.length === 0) return;
    this.#log.warn({ repository: id, refs: strays.slice(0, 10) }, 'removed refs that were written by hand');
    for (const stray of strays) await rm(stray, { force: true });
  }
}

async function writeRefs(folder: RepositoryFolder, current: RefVersion): Promise<void> {
  const draft = join(folder.path, `packed-refs.new-${randomName()}`);
  await writeFile(draft, formatPackedRefs(current), { mode: FILE_MODE, flag: 'wx' });
  const draftLink = `${draft}-link`;
  await linkOrCopy(draft, draftLink);
  await rename(draft, join(folder.path, 'packed-refs'));
  // After packed-refs, so that a crash in between does not make the older refs look like a change by hand.
  await rename(draftLink, join(folder.path, MIRRORED_REFS));
  // If both names are links to the same file, the rename did nothing and the draft remains.
  await rm(draftLink, { force: true });
  await writeHead(folder, current.head);
}

async function writeHead(folder: RepositoryFolder, head: string): Promise<void> {
  const draft = join(folder.path, `HEAD.new-${randomName()}`);
  await writeFile(draft, `ref: ${head}\n`, { mode: FILE_MODE, flag: 'wx' });
  await rename(draft, join(folder.path, 'HEAD'));
}

async function stampOf(folder: RepositoryFolder): Promise<string> {
  const stamps = ['packed-refs', 'HEAD'].map(async (name) => {
    const found = await undefinedIfMissing(stat(join(folder.path, name), { bigint: true }));
    return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeNs}`;
  });
  return (await Promise.all(stamps)).join(', ');
}

/** Lists files below `refs/`, which git reads before `packed-refs`. */
export async function looseRefs(folder: RepositoryFolder): Promise<readonly string[]> {
  try {
    const found = await readdir(join(folder.path, 'refs'), { recursive: true, withFileTypes: true });
    return found.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return [];
    throw error;
  }
}
