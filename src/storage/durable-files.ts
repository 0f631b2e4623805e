import { type FileHandle, open } from 'node:fs/promises';

/** Only the server's account and group can read stored objects. */
export const FILE_MODE = 0o640;
export const FOLDER_MODE = 0o750;

/** Writes a new file and returns when its bytes survive power loss. Its name survives only after `syncFolder`. */
export async function writeDurably(path: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  await using file = await open(path, 'wx', FILE_MODE);
  for await (const chunk of body) await writeWhole(file, chunk);
  await file.sync();
}

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0;
  while (written < chunk.length) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written);
    written += bytesWritten;
  }
}

/** Makes new names in a folder survive power loss. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}
