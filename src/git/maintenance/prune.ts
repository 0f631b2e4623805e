import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { notFound } from '../../core/failure.ts';
import { faultPoint } from '../../core/faults.ts';
import type { Engine } from '../engine.ts';
import { condemn, discardCondemned, restoreCondemned } from '../folders/condemned.ts';
import type { ObjectFile } from '../folders/object-files.ts';
import type { RepositoryId } from '../model.ts';
import { lockGitRepository, setPruneGen } from '../store.ts';
import { dropPackIndexes, writeIndexes } from './indexes.ts';
import { rewritePacks } from './rewrite-packs.ts';
import { inWorkshop, type Workshop } from './workshop.ts';

/** Unreachable objects are kept for this long, because a running push may need them. */
export const PRUNE_GRACE_MS = 14 * 24 * 60 * 60_000;

/**
 * Deletes unreachable objects that are older than the grace period. Once the new prune number is committed, every push
 * that began earlier checks its connectivity again, so none can rely on a deleted object. If a ref moved meanwhile, it
 * may reach such an object, so all of them are restored.
 */
export async function prune(
  engine: Engine,
  id: RepositoryId,
  graceMs: number,
): Promise<'done' | 'lost-race'> {
  const outcome = await inWorkshop(engine, id, async (workshop) => {
    const old = await rewritePacks(workshop, Date.now() - graceMs);
    const isDone = await engine.locks.alone(id, () => takeAway(engine, id, workshop, old));
    await writeIndexes(workshop);
    return isDone;
  });
  engine.pool.end(`${id}`);
  engine.cache.drop(id);
  return outcome ? 'done' : 'lost-race';
}

async function takeAway(
  engine: Engine,
  id: RepositoryId,
  workshop: Workshop,
  old: readonly ObjectFile[],
): Promise<boolean> {
  // The lock stops ref changes in this process, so no object is hidden that a ref has just come to reach.
  if ((await engine.versions.current(id)).version !== workshop.at.version) return false;
  await dropPackIndexes(workshop.folder);
  await rm(join(workshop.folder.objects, 'info', 'commit-graph'), { force: true });
  await condemn(workshop.folder, workshop.path, old);
  faultPoint('during-prune');
  let isCurrent = false;
  try {
    isCurrent = await engine.database.transaction(async (tx) => {
      const row = await lockGitRepository(tx, id);
      if (row === undefined) throw notFound('no such repository');
      if (row.gen !== workshop.at.version) return false;
      await setPruneGen(tx, id, row.pruneGen + 1);
      return true;
    });
  } finally {
    if (!isCurrent) await restoreCondemned(workshop.folder, workshop.path);
  }
  if (isCurrent) await discardCondemned(workshop.path);
  return isCurrent;
}
