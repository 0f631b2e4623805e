import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { notFound } from '../../base/core/failure.ts';
import { faultPoint } from '../../base/core/faults.ts';
import { realTimeMs } from '../../base/core/time/clock.ts';
import type { Engine } from '../engine.ts';
import { condemn, discardCondemned, pardon } from '../folders/condemned.ts';
import { listObjectFiles, packNames, sizeOfPacks } from '../folders/object-files.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import type { DeletedObjects } from '../interface/upkeep.ts';
import { GIT_LIMITS } from '../limits.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { type RefVersion, tipsOf } from '../refs/ref-versions.ts';
import { lockGitRepository, setPruneGen } from '../store.ts';
import { dropPackIndexes, writeIndexes } from './indexes.ts';
import { deletePacks, filesOfPacks, type ListingNeeds, packUnused, rewritableOf } from './rewrite-packs.ts';
import { separateUnused } from './separate-unused.ts';
import { inWorkshop, type Workshop } from './workshop.ts';

/** What deleting objects uses of the engine. */
export type PruneNeeds = ListingNeeds &
  Pick<Engine, 'cache' | 'database' | 'storedWithoutRef' | 'liveFolders' | 'pool'>;

/** Unreachable objects are retained for this long, because a running push may need them. */
export const PRUNE_GRACE_MS = 14 * 24 * 60 * 60_000;

/**
 * Deletes unreachable objects that are older than the grace period. A repack first moves all unreachable objects into
 * one pack. Only this pack then has to be deleted, however many refs move during the repack. Once the new prune number
 * is committed, every push that began earlier checks its connectivity again, so no push can rely on a deleted object.
 *
 * @returns `lost-race` if a ref now reaches an object that was about to be deleted; then no object is deleted
 */
export async function prune(
  engine: PruneNeeds,
  id: RepositoryId,
  graceMs: number,
): Promise<'done' | 'lost-race'> {
  const writtenBeforeMs = realTimeMs() - graceMs;
  return (await deleteUnused(engine, id, { writtenBeforeMs })) === 'lost-race' ? 'lost-race' : 'done';
}

/** Deletes all unreachable objects, whatever their age. Otherwise as `prune`. */
export function purge(engine: PruneNeeds, id: RepositoryId): Promise<DeletedObjects | 'lost-race'> {
  return deleteUnused(engine, id, { writtenBeforeMs: null });
}

interface Choice {
  /** null: of any age */
  readonly writtenBeforeMs: number | null;
}

async function deleteUnused(
  engine: PruneNeeds,
  id: RepositoryId,
  choice: Choice,
): Promise<DeletedObjects | 'lost-race'> {
  const from = await rewritableOf(engine, id);
  const outcome = await inWorkshop(engine, from, async (workshop) => {
    const [unused] = await separateUnused(engine, id, workshop, from);
    const deleted =
      unused === undefined ? NOTHING : await deleteOld(engine, id, { workshop, unused, ...choice });
    await writeIndexes(workshop);
    return deleted;
  });
  engine.pool.end(`${id}`);
  return outcome;
}

const NOTHING: DeletedObjects = { objects: 0, bytes: 0 };

interface Deletion extends Choice {
  readonly workshop: Workshop;
  /** the pack of all unreachable objects */
  readonly unused: string;
}

/** Copies the younger unreachable objects to a second pack, and deletes the pack of all unreachable objects. */
async function deleteOld(
  engine: PruneNeeds,
  id: RepositoryId,
  deletion: Deletion,
): Promise<DeletedObjects | 'lost-race'> {
  const { workshop, unused } = deletion;
  const { folder } = workshop;
  const others = packNames(await listObjectFiles(folder)).filter((name) => name !== unused);
  const before = engine.storedWithoutRef.get(id);
  await engine.moveFreshToFiles(id);
  const young = await packYounger(deletion, others);
  if (young.includes(unused)) return NOTHING;
  const sizes = [await sizeOfPacks(folder, [unused]), await sizeOfPacks(folder, young)] as const;
  let isDone = false;
  try {
    isDone = await engine.locks.alone(id, async () => {
      // An object that was kept after the packs were made may need an unreachable object of any age.
      const mayBeNeeded = deletion.writtenBeforeMs !== null && engine.storedWithoutRef.get(id) !== before;
      return !mayBeNeeded && deleteUnlessNeeded(engine, id, workshop, unused);
    });
  } finally {
    if (!isDone) await engine.locks.alone(id, () => deletePacks(folder, young, others));
  }
  return isDone ? difference(...sizes) : 'lost-race';
}

async function packYounger({ workshop, unused, writtenBeforeMs }: Deletion, kept: readonly string[]) {
  if (writtenBeforeMs === null) return [];
  return packUnused(workshop, { kept, going: [unused], expireBeforeMs: writtenBeforeMs });
}

/** Never negative: objects that arrived at the same time may make the second pack larger. */
function difference(all: DeletedObjects, young: DeletedObjects): DeletedObjects {
  return { objects: Math.max(0, all.objects - young.objects), bytes: Math.max(0, all.bytes - young.bytes) };
}

/** Hides the pack, and deletes it unless a ref now reaches one of its objects. The caller holds the lock. */
async function deleteUnlessNeeded(engine: PruneNeeds, id: RepositoryId, workshop: Workshop, pack: string) {
  const { folder, path } = workshop;
  await dropPackIndexes(folder);
  await rm(join(folder.objects, 'info', 'commit-graph'), { force: true });
  const files = await filesOfPacks(folder, [pack]);
  let isDone = false;
  try {
    await condemn(
      folder,
      path,
      files.map((file) => file.path),
    );
    // New readers do not see the objects.
    engine.pool.end(`${id}`);
    engine.cache.drop(id);
    faultPoint('during-prune');
    isDone = await commitPrune(engine, id, workshop);
  } finally {
    if (!isDone) await pardon(folder, path);
  }
  await discardCondemned(path);
  return isDone;
}

/** Checks only refs that have moved since the repack began. The lock stops ref changes of this process. */
async function commitPrune(engine: PruneNeeds, id: RepositoryId, workshop: Workshop): Promise<boolean> {
  let checked = workshop.at;
  for (let attempt = 1; attempt <= GIT_LIMITS.maintenanceRacesMax; attempt += 1) {
    const current = await engine.versions.current(id);
    await engine.completeFolder(id, current.format);
    if (!(await isConnected(workshop, current, checked))) return false;
    if (await raisePruneGen(engine, id, current)) return true;
    checked = current;
  }
  return false;
}

/**
 * Whether all objects that `current` reaches are present. Assumes that all objects that `checked` reaches are present.
 */
async function isConnected(workshop: Workshop, current: RefVersion, checked: RefVersion): Promise<boolean> {
  const known = tipsOf(checked);
  const moved = [...tipsOf(current)].filter((oid) => !known.has(oid));
  if (moved.length === 0) return true;
  const input = [...moved, ...[...known].map((oid) => `^${oid}`), ''].join('\n');
  try {
    await workshop.gitAtOnce(['rev-list', '--objects', '--quiet', '--stdin'], input);
    return true;
  } catch (error) {
    // 128: an object is missing.
    if (error instanceof GitFailedError && error.exitCode === 128) return false;
    throw error;
  }
}

/** @returns false if refs have moved since `at`, in another process */
function raisePruneGen(engine: PruneNeeds, id: RepositoryId, at: RefVersion): Promise<boolean> {
  return engine.database.transaction(async (tx) => {
    const row = await lockGitRepository(tx, id);
    if (row === undefined) throw notFound('repository');
    if (row.gen !== at.version) return false;
    await setPruneGen(tx, id, row.pruneGen + 1);
    return true;
  });
}
