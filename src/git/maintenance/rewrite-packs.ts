import { join } from 'node:path';
import { syncFolder } from '../../base/core/files/durable-files.ts';
import type { Engine } from '../engine.ts';
import {
  deleteUnchanged,
  listObjectFiles,
  type ObjectFile,
  packNames,
  packOf,
} from '../folders/object-files.ts';
import type { RepositoryFolder } from '../folders/repository-layout.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { dropPackIndexes } from './indexes.ts';
import { type Subject, subjectOf, type Workshop } from './workshop.ts';

/** What listing the files of a repository uses of the engine. */
export type ListingNeeds = Pick<
  Engine,
  'completeFolder' | 'fresh' | 'locks' | 'moveFreshToFiles' | 'versions'
>;
/** What replacing files uses of the engine. */
export type ReplacingNeeds = Pick<Engine, 'fresh' | 'locks'>;

/** git's message about an object that it has found too late. A damaged file has the same message. */
const FOUND_TOO_LATE = /^fatal: loose object [0-9a-f]+ \(stored in .*\) is corrupt$/m;

/** A repository and the object files that a job replaces. */
export interface Rewritable extends Subject {
  readonly old: readonly ObjectFile[];
}

/**
 * Lists the object files, then reads the refs. A commit moves its objects in before its refs, so the lock waits for the
 * commits whose objects are listed, and all objects that they need are reachable from the refs. It moves
 * fresh objects to files before it lists and after it has read the refs: see `FreshObjects`.
 */
export async function rewritableOf(engine: ListingNeeds, id: RepositoryId): Promise<Rewritable> {
  await engine.moveFreshToFiles(id);
  await engine.fresh.waitForCopies(id);
  const { folder } = await subjectOf(engine, id);
  const old = await listObjectFiles(folder);
  const at = await engine.locks.alone(id, () => engine.versions.current(id));
  await engine.moveFreshToFiles(id);
  return { folder, old, at };
}

/**
 * Writes a pack of all reachable objects next to the old files.
 *
 * @returns its name; empty if there are no such objects
 */
export function packReachable(workshop: Workshop): Promise<readonly string[]> {
  return makePack(workshop, ['--all', '--revs', '--write-bitmap-index'], []);
}

/**
 * Writes a pack of the objects that are in none of the packs `kept`, with their dates, next to the old files.
 *
 * @param options.going packs that are about to be deleted
 * @param options.expireBeforeMs leaves out objects that were written before this time; null keeps all
 * @returns its name; empty if there are no such objects
 */
export function packUnused(
  workshop: Workshop,
  options: { kept: readonly string[]; going: readonly string[]; expireBeforeMs: number | null },
): Promise<readonly string[]> {
  const { kept, going, expireBeforeMs } = options;
  const expire = expireBeforeMs === null ? 'never' : `@${Math.floor(expireBeforeMs / 1000)}`;
  const input = [...kept.map((name) => `${name}.pack`), ...going.map((name) => `-${name}.pack`)];
  return makePack(workshop, ['--cruft', `--cruft-expiration=${expire}`], input);
}

/** @see git-pack-objects(1): prints the hash of the new pack */
export async function makePack(
  workshop: Workshop,
  options: readonly string[],
  lines: readonly string[],
): Promise<readonly string[]> {
  const { packs } = workshop.folder;
  const all = ['pack-objects', '-q', ...options, '--non-empty', '--delta-base-offset', join(packs, 'pack')];
  const answer = await gitAgainAfterRaces(workshop, all, lines.map((line) => `${line}\n`).join(''));
  await syncFolder(packs);
  return answer
    .split('\n')
    .filter((line) => line !== '')
    .map((hash) => `pack-${hash}`);
}

/**
 * Runs git again after a race. git follows links to objects that may be missing, because the objects of a change arrive
 * in any order. If an object arrives after git has missed it, but before git looks again to say why, git reports it as
 * corrupt.
 */
async function gitAgainAfterRaces(
  workshop: Workshop,
  args: readonly string[],
  input: string,
): Promise<string> {
  for (let race = 1; ; race += 1) {
    try {
      return await workshop.git(args, input);
    } catch (error) {
      const isRace = error instanceof GitFailedError && FOUND_TOO_LATE.test(error.stderr);
      if (!isRace || race === GIT_LIMITS.maintenanceRacesMax) throw error;
    }
  }
}

/** Lists the packs that were added after `old` was listed. */
export async function newerPacks({ folder, old }: Rewritable): Promise<readonly string[]> {
  const before = new Set(packNames(old));
  return packNames(await listObjectFiles(folder)).filter((name) => !before.has(name));
}

/**
 * Deletes the old files, except the files of the packs `kept`. The new packs have all objects of the old files. Pushes
 * run between batches.
 */
export async function deleteReplaced(
  engine: ReplacingNeeds,
  id: RepositoryId,
  { folder, old }: Pick<Rewritable, 'folder' | 'old'>,
  kept: readonly string[],
): Promise<void> {
  const isKept = new Set(kept.map((name) => `pack/${name}`));
  const going = old.filter(({ path }) => !isKept.has(packOf(path)));
  const groups = [...Map.groupBy(going, ({ path }) => packOf(path)).values()];
  await dropPackIndexes(folder);
  for (let at = 0; at < groups.length; at += GIT_LIMITS.objectFilesDeletedInOneGo) {
    const some = groups.slice(at, at + GIT_LIMITS.objectFilesDeletedInOneGo).flat();
    // See `FreshObjects`.
    const remove = () => engine.fresh.betweenMoves(id, () => deleteUnchanged(folder, some));
    await engine.locks.alone(id, remove);
  }
}

/** Lists all files of some packs. */
export async function filesOfPacks(
  folder: RepositoryFolder,
  names: readonly string[],
): Promise<readonly ObjectFile[]> {
  const wanted = new Set(names.map((name) => `pack/${name}`));
  return (await listObjectFiles(folder)).filter(({ path }) => wanted.has(packOf(path)));
}

/** Deletes packs whose objects are in other files, too. @param except packs to keep */
export async function deletePacks(
  folder: RepositoryFolder,
  names: readonly string[],
  except: readonly string[],
): Promise<void> {
  const going = names.filter((name) => !except.includes(name));
  if (going.length > 0) await deleteUnchanged(folder, await filesOfPacks(folder, going));
}
