import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

let syncs = 0;

/** How often this process has asked the disk to keep something: what a test compares before and after. */
export function syncCount(): number {
  return syncs;
}

async function sync(handle: FileHandle): Promise<void> {
  syncs += 1;
  await handle.sync();
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
    await sync(handle);
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder survive power loss. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await sync(handle);
  } finally {
    await handle.close();
  }
}
