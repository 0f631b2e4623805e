import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

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
    await handle.writeFile(content);
    await sync(handle, path);
  } finally {
    await handle.close();
  }
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
