import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../folders/durability.ts';
import { inPortions } from '../folders/in-portions.ts';
import { FILE_MODE, FOLDER_MODE, type RepositoryFolder, randomName } from '../folders/repository-layout.ts';

/** A file that others look for is moved after those it needs: git finds a pack by its index. */
const PACK_FILE_ORDER = ['.pack', '.rev', '.mtimes', '.bitmap', '.idx'];

/** Makes an `objects` folder of its own that also shows the repository's objects. */
export async function makeQuarantine(folder: RepositoryFolder): Promise<string> {
  const path = join(folder.quarantines, randomName());
  for (const name of ['', 'pack', 'info']) await mkdir(join(path, name), { mode: FOLDER_MODE });
  await writeFile(join(path, 'info', 'alternates'), '../../objects\n', { mode: FILE_MODE });
  return path;
}

/**
 * Moves all objects of a quarantine into the repository and returns when they are there for good. A file that is there
 * already is replaced by the same content with a new date, so that a prune under way sees that it is wanted.
 */
export async function moveObjectsIn(quarantine: string, folder: RepositoryFolder): Promise<void> {
  await movePacks(join(quarantine, 'pack'), folder.packs);
  const names = await readdir(quarantine);
  const shards = names.filter((name) => /^[0-9a-f]{2}$/.test(name));
  await inPortions(shards, (shard) => moveShard(join(quarantine, shard), join(folder.objects, shard)));
  // Also for shards that were there: another push may have made one and not have come to this yet.
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

export async function removeQuarantine(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
