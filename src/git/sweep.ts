import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreCondemned } from './condemned.ts';
import type { Engine } from './engine.ts';
import { undefinedIfMissing } from './file-errors.ts';
import { RepositoryFolder } from './repository-layout.ts';
import { deleteRemoved, listRemovedBefore } from './store.ts';

/**
 * Removes the folders of removed repositories, and what ended processes left behind. A folder that no row has ever
 * spoken of is left alone: it is more likely the wrong database than garbage.
 *
 * @returns how many folders went
 */
export async function sweepFolders(engine: Engine, graceMs: number): Promise<number> {
  const before = Date.now() - graceMs;
  let count = await sweepRemoved(engine, before);
  for (const shard of await namesIn(engine.root)) {
    for (const name of await namesIn(join(engine.root, shard))) {
      count += await sweepLeftovers(engine, join(engine.root, shard), name, before);
    }
  }
  return count;
}

async function sweepRemoved(engine: Engine, before: number): Promise<number> {
  const ids = await listRemovedBefore(engine.database.reader, before);
  for (const id of ids) {
    engine.forget(id);
    await rm(engine.folder(id).path, { recursive: true, force: true });
    await engine.database.transaction((tx) => deleteRemoved(tx, id));
  }
  return ids.length;
}

async function sweepLeftovers(engine: Engine, shard: string, name: string, before: number): Promise<number> {
  if (/^\d+\.git\.new-/.test(name)) return removeIfOld(engine, join(shard, name), before);
  const id = /^(\d+)\.git$/.exec(name)?.[1];
  if (id === undefined) return 0;
  const folder = new RepositoryFolder(engine.root, Number(id));
  await restoreCondemned(folder, engine.liveFolders);
  let count = 0;
  for (const parent of [folder.quarantines, folder.upkeep]) {
    for (const left of await namesIn(parent)) count += await removeIfOld(engine, join(parent, left), before);
  }
  return count;
}

async function removeIfOld(engine: Engine, path: string, before: number): Promise<number> {
  if (engine.liveFolders.has(path)) return 0;
  const stats = await undefinedIfMissing(stat(path));
  if (stats === undefined || stats.mtimeMs > before) return 0;
  await rm(path, { recursive: true, force: true });
  return 1;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await undefinedIfMissing(readdir(folder))) ?? [];
}
