import { createCountedCache } from '../../base/core/sized-cache.ts';
import { GIT_LIMITS } from '../limits.ts';
import { startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { BrokenBlobError, copyStoredBlob, type LargeBlob } from './stored-blob.ts';

type Write = (piece: Buffer) => Promise<void>;

/** Returns what is equal for each reading of a blob. */
export function keyOf({ location: { gitDir, objectsFolder }, oid }: LargeBlob): string {
  return JSON.stringify([gitDir, objectsFolder, oid]);
}

/** Reads blobs in this process where that is simple, and through git otherwise. The caller bounds how many at once. */
export class BlobCopier {
  /** Blobs of which this process has read a broken copy. git may find another one, and says what is wrong otherwise. */
  readonly #broken = createCountedCache<string, true>({ entriesMax: GIT_LIMITS.brokenBlobsRememberedMax });

  /**
   * Writes a blob piece by piece, each when the one before is written.
   *
   * @throws GitFailedError, or another error for a blob that is broken; the reason of `signal`; an error of `write`
   */
  async copy(blob: LargeBlob, write: Write, signal: AbortSignal): Promise<void> {
    const writeOn = async (piece: Buffer) => {
      signal.throwIfAborted();
      await write(piece);
    };
    if (!(await this.#copyStored(blob, writeOn))) await copyWithGit(blob, writeOn, signal);
  }

  async #copyStored(blob: LargeBlob, write: Write): Promise<boolean> {
    if (this.#broken.has(keyOf(blob))) return false;
    try {
      return await copyStoredBlob(blob, write);
    } catch (error) {
      if (error instanceof BrokenBlobError) this.#broken.set(keyOf(blob), true);
      throw error;
    }
  }
}

async function copyWithGit({ location, oid }: LargeBlob, write: Write, signal: AbortSignal): Promise<void> {
  const child = await startGit({ args: ['cat-file', 'blob', oid], ...location }, { slots: null, signal });
  child.stdin.end();
  try {
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      // The time in which git waits for the reader does not count.
      child.deadline.pause();
      await write(piece);
      child.deadline.restart();
    }
  } finally {
    // If the loop has ended early, this has ended git.
    await child.done;
  }
  const exit = await child.done;
  if (exit.exitCode !== 0) throw new GitFailedError('cat-file', exit);
}
