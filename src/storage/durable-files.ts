import { type FileHandle, open } from 'node:fs/promises';

/** Nobody else on the machine reads what is stored. */
export const FILE_MODE = 0o640;
export const FOLDER_MODE = 0o750;

/** Writes a new file; when this returns, its bytes survive a loss of power (its name may not, yet). */
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

/** Makes names that were added to a folder survive a loss of power. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}
