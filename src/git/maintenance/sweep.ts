import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Engine } from '../engine.ts';
import { undefinedIfMissing } from '../folders/file-errors.ts';
import { RepositoryFolder, stagedRoot } from '../folders/repository-layout.ts';
import { deleteRemoved, listRemovedBefore, listStaged } from '../store.ts';

/** What a sweep uses of the engine. */
export type SweepNeeds = Pick<
  Engine,
  'database' | 'forget' | 'liveFolders' | 'locks' | 'restoreHidden' | 'root' | 'transfers'
>;

/**
 * Deletes the folders of removed repositories and the leftovers of ended processes. Does not delete repository folders
 * that no row ever named, because a wrong database is more likely than garbage.
 *
 * @returns the number of deleted folders and files
 */
export async function sweepFolders(engine: SweepNeeds, graceMs: number): Promise<number> {
  const before = currentTimeMs() - graceMs;
  let count = (await sweepRemoved(engine, before)) + (await sweepStaged(engine, before));
  count += await sweepSpools(engine, before);
  for (const shard of await namesIn(engine.root)) {
    for (const name of await namesIn(join(engine.root, shard))) {
      count += await sweepLeftovers(engine, join(engine.root, shard), name, before);
    }
  }
  return count;
}

async function sweepRemoved(engine: SweepNeeds, before: number): Promise<number> {
  const ids = await listRemovedBefore(engine.database.reader, before);
  for (const id of ids) {
    engine.forget(id);
    await rm(RepositoryFolder.of(engine.root, id).path, { recursive: true, force: true });
    await engine.database.transaction((tx) => deleteRemoved(tx, id));
  }
  return ids.length;
}

/**
 * Deletes staged folders of failed forks. Folders that rows name remain, because the first use of the fork moves them.
 */
async function sweepStaged(engine: SweepNeeds, before: number): Promise<number> {
  const root = stagedRoot(engine.root);
  const paths = (await namesIn(root)).map((name) => join(root, name));
  // Checked before reading the rows, because a fork writes its rows while its folder is in use.
  const abandoned = paths.filter((path) => !engine.liveFolders.has(path));
  if (abandoned.length === 0) return 0;
  const named = new Set(await listStaged(engine.database.reader));
  let count = 0;
  for (const path of abandoned) {
    if (!named.has(basename(path))) count += await removeIfOld(engine, path, before);
  }
  return count;
}

/** Deletes temporary files that a process created, but had not made nameless when it ended. */
async function sweepSpools(engine: SweepNeeds, before: number): Promise<number> {
  const { folder } = engine.transfers.spools;
  let count = 0;
  for (const name of await namesIn(folder)) count += await removeIfOld(engine, join(folder, name), before);
  return count;
}

async function sweepLeftovers(
  engine: SweepNeeds,
  shard: string,
  name: string,
  before: number,
): Promise<number> {
  if (/^\d+\.git\.new-/.test(name)) return removeIfOld(engine, join(shard, name), before);
  const id = /^(\d+)\.git$/.exec(name)?.[1];
  if (id === undefined) return 0;
  const folder = RepositoryFolder.of(engine.root, Number(id));
  await engine.restoreHidden(folder);
  let count = 0;
  for (const path of await leftoversIn(folder)) count += await removeIfOld(engine, path, before);
  if ((await packsInPart(folder)).length === 0) return count;
  // The lock excludes packs that are partial because they are being moved right now.
  return engine.locks.alone(Number(id), async () => {
    for (const path of await packsInPart(folder)) count += await removeIfOld(engine, path, before);
    return count;
  });
}

/** Lists temporary files and folders, which are in use only while their process lives. */
async function leftoversIn(folder: RepositoryFolder): Promise<readonly string[]> {
  const locations = [
    { parent: folder.quarantines, pattern: /^/ },
    { parent: folder.workshops, pattern: /^/ },
    // Drafts of the mirror.
    { parent: folder.path, pattern: /^(?:packed-refs|HEAD)\.new-/ },
    // Drafts of the manifest of the change index.
    { parent: folder.changes, pattern: /^draft-/ },
    // Temporary files of git, and its lock files, which block other commands as long as they exist.
    { parent: folder.packs, pattern: /^(?:\.?tmp[_-]|.*\.lock$)/ },
    { parent: join(folder.objects, 'info'), pattern: /^(?:tmp_|.*\.lock$)/ },
  ];
  const found = locations.map(async ({ parent, pattern }) =>
    (await namesIn(parent)).filter((name) => pattern.test(name)).map((name) => join(parent, name)),
  );
  return (await Promise.all(found)).flat();
}

/** Lists files of packs that lack the pack itself or its index. git ignores them. */
async function packsInPart(folder: RepositoryFolder): Promise<readonly string[]> {
  const names = (await namesIn(folder.packs)).filter((name) => name.startsWith('pack-'));
  const all = new Set(names);
  const isWhole = (name: string) =>
    ['.pack', '.idx'].every((end) => all.has(name.replace(/\.[a-z]+$/, '') + end));
  return names.filter((name) => !isWhole(name)).map((name) => join(folder.packs, name));
}

async function removeIfOld(engine: SweepNeeds, path: string, before: number): Promise<number> {
  if (engine.liveFolders.has(path)) return 0;
  const stats = await undefinedIfMissing(stat(path));
  if (stats === undefined || stats.mtimeMs > before) return 0;
  await rm(path, { recursive: true, force: true });
  return 1;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await undefinedIfMissing(readdir(folder))) ?? [];
}
