import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { countCost } from '../costs.ts';
import { CORE_LIMITS } from '../limits.ts';

let watcher: (path: string) => void = () => {};

/**
 * Calls `watch` after each sync of a file or folder, so that a test sees what was synced and when.
 *
 * @returns a function that removes the watcher
 */
export function watchSyncs(watch: (path: string) => void): () => void {
  watcher = watch;
  return () => {
    watcher = () => {};
  };
}

async function sync(handle: FileHandle, path: string): Promise<void> {
  await handle.sync();
  countCost('syncs');
  watcher(path);
}

/** Writes a new file and returns when its content survives power loss. Its name survives only after `syncFolder`. */
export async function writeDurably(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  options: { mode: number },
): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, options.mode);
  try {
    if (typeof content === 'string' || content instanceof Uint8Array) await handle.writeFile(content);
    else await writeChunks(handle, content);
    await sync(handle, path);
  } finally {
    await handle.close();
  }
}

/**
 * Writes many chunks at once while the next chunks arrive, because starting a write takes longer than writing a chunk.
 * Syncs during the writes leave little work to the sync at the end.
 */
async function writeChunks(handle: FileHandle, content: AsyncIterable<Uint8Array>): Promise<void> {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let unsynced = 0;
  const writing = new LatestWork();
  const syncing = new LatestWork();
  try {
    for await (const chunk of content) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes < CORE_LIMITS.bytesWrittenAtOnce) continue;
      await writing.done;
      unsynced += bytes;
      writing.start(writeAll(handle, chunks, bytes));
      chunks = [];
      bytes = 0;
      if (unsynced < CORE_LIMITS.bytesBetweenSyncs || syncing.isRunning) continue;
      // The system reports a failure once, so the sync at the end would not notice it.
      await syncing.done;
      syncing.start(handle.datasync());
      unsynced = 0;
    }
    await writing.done;
    await writeAll(handle, chunks, bytes);
    await syncing.done;
  } finally {
    // The file must not be closed while it is in use.
    await Promise.allSettled([writing.done, syncing.done]);
  }
}

/** The latest of several pieces of work. The caller starts each piece after the previous one has ended. */
class LatestWork {
  #done: Promise<void> = Promise.resolve();
  #isRunning = false;

  get done(): Promise<void> {
    return this.#done;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(work: Promise<void>): void {
    this.#isRunning = true;
    this.#done = work.finally(() => {
      this.#isRunning = false;
    });
    // Awaited later. Without a listener, an earlier failure would end the process.
    this.#done.catch(() => {});
  }
}

async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[], bytes: number): Promise<void> {
  if (bytes === 0) return;
  const { bytesWritten } = await handle.writev(chunks);
  if (bytesWritten === bytes) return;
  // The system wrote only a part. This is rare: the disk may be almost full, or a signal interrupted the write.
  await handle.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}

/** Makes the content of a written file survive power loss. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDWR);
  try {
    await sync(handle, path);
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder survive power loss. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await sync(handle, path);
  } finally {
    await handle.close();
  }
}

/**
 * Modes of stored files and folders. The account of the server writes them, its group reads them, and other accounts
 * have no access.
 */
export const FOLDER_MODE = 0o750;
export const FILE_MODE = 0o640;
