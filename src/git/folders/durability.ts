import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

let watcher: (path: string) => void = () => {};

/**
 * Tells of each file and folder that the disk has just been asked to keep, so that a test can see that it was, and when.
 *
 * @returns ends that
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

/** Writes a new file and returns when it would survive power loss; its name does only once its folder is synced. */
export async function writeDurably(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  options: { mode: number },
): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, options.mode);
  try {
    await handle.writeFile(content);
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
