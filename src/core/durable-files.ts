import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { LIMITS } from './limits.ts';

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

/** Writes many chunks at once, while the next ones arrive: a write takes longer to start than to write a chunk. */
async function writeChunks(handle: FileHandle, content: AsyncIterable<Uint8Array>): Promise<void> {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const chunk of content) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes < LIMITS.bytesWrittenAtOnce) continue;
      await writing;
      writing = writeAll(handle, chunks, bytes);
      // Awaited in a moment. Without a listener, an earlier failure would end the process.
      writing.catch(() => {});
      chunks = [];
      bytes = 0;
    }
    await writing;
    await writeAll(handle, chunks, bytes);
  } finally {
    // The file must not be closed during a write.
    await writing.catch(() => {});
  }
}

async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[], bytes: number): Promise<void> {
  if (bytes === 0) return;
  const { bytesWritten } = await handle.writev(chunks);
  if (bytesWritten === bytes) return;
  // The system wrote only a part, which is rare: the disk may be almost full, or a signal has come.
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

/** Modes of stored files and folders: the server's account writes them, its group reads them, and others have no access. */
export const FOLDER_MODE = 0o750;
export const FILE_MODE = 0o640;
