import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_MODE, FOLDER_MODE, syncFolder } from '../../base/core/files/durable-files.ts';
import { inBatches } from '../folders/in-batches.ts';
import { type RepositoryFolder, randomName } from '../folders/repository-layout.ts';
import type { Oid } from '../format/model.ts';

/** Files of a pack in the order in which they move. The index is last, because git finds a pack by it. */
const PACK_FILE_ORDER = ['.pack', '.rev', '.mtimes', '.bitmap', '.idx'];

/** Creates a separate `objects` folder through which git also reads the repository's objects. */
export async function makeQuarantine(folder: RepositoryFolder): Promise<string> {
  const path = join(folder.quarantines, randomName());
  try {
    for (const name of ['', 'pack', 'info']) await mkdir(join(path, name), { mode: FOLDER_MODE });
    await writeFile(join(path, 'info', 'alternates'), '../../objects\n', { mode: FILE_MODE });
    return path;
  } catch (error) {
    await removeQuarantine(path);
    throw error;
  }
}

/** Writes the file that names the commits whose parents the sender of a pack does not have. */
export async function writeShallowFile(folder: string, oids: readonly Oid[]): Promise<string | undefined> {
  if (oids.length === 0) return undefined;
  const path = join(folder, `shallow-${randomName()}`);
  await writeFile(path, `${oids.join('\n')}\n`, { mode: FILE_MODE });
  return path;
}

/** Counts the objects in the packs of a quarantine. @see gitformat-pack(5): the third number of the header */
export async function countPackedObjects(quarantine: string): Promise<number> {
  let count = 0;
  for (const name of await readdir(join(quarantine, 'pack'))) {
    if (!name.endsWith('.pack')) continue;
    const file = await open(join(quarantine, 'pack', name));
    try {
      const { buffer } = await file.read({ buffer: Buffer.alloc(12) });
      count += buffer.readUInt32BE(8);
    } finally {
      await file.close();
    }
  }
  return count;
}

/**
 * Moves all objects of a quarantine into the repository and returns when they are durable. An existing file is replaced
 * by the same content with a new date, so that a running prune keeps it.
 */
export async function moveObjectsIn(quarantine: string, folder: RepositoryFolder): Promise<void> {
  await movePacks(join(quarantine, 'pack'), folder.packs);
  const names = await readdir(quarantine);
  const shards = names.filter((name) => /^[0-9a-f]{2}$/.test(name));
  await inBatches(shards, (shard) => moveShard(join(quarantine, shard), join(folder.objects, shard)));
  // Also for existing shards: another push may have created one and not synced it yet.
  if (shards.length > 0) await syncFolder(folder.objects);
}

async function movePacks(from: string, to: string): Promise<void> {
  const names = (await readdir(from)).filter((name) => name.startsWith('pack-'));
  names.sort((a, b) => packFileRank(a) - packFileRank(b));
  for (const name of names) await rename(join(from, name), join(to, name));
  if (names.length > 0) await syncFolder(to);
}

function packFileRank(name: string): number {
  return PACK_FILE_ORDER.findIndex((extension) => name.endsWith(extension));
}

async function moveShard(from: string, to: string): Promise<void> {
  const names = await readdir(from);
  if (names.length === 0) return;
  await mkdir(to, { recursive: true, mode: FOLDER_MODE });
  for (const name of names) await rename(join(from, name), join(to, name));
  await syncFolder(to);
}

/** Removes what a git process has left in a quarantine that was ended before it had stored its pack. */
export async function removeUnfinishedPacks(quarantine: string): Promise<void> {
  const folder = join(quarantine, 'pack');
  const names = (await readdir(folder)).filter((name) => name.startsWith('tmp_'));
  for (const name of names) await rm(join(folder, name), { force: true });
}

export async function removeQuarantine(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
