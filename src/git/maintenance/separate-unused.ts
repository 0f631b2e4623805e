import { faultPoint } from '../../base/core/faults.ts';
import { packNames } from '../folders/object-files.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import {
  deletePacks,
  deleteReplaced,
  newerPacks,
  packReachable,
  packUnused,
  type ReplacingNeeds,
  type Rewritable,
} from './rewrite-packs.ts';
import type { Workshop } from './workshop.ts';

/**
 * Moves all reachable objects into one pack, and all other objects, with their dates, into a second pack. Deletes no
 * object.
 *
 * @returns the name of the second pack; empty if all objects are reachable
 */
export async function separateUnused(
  engine: ReplacingNeeds,
  id: RepositoryId,
  workshop: Workshop,
  from: Rewritable,
): Promise<readonly string[]> {
  const { reachable, unused } = await writePacks(engine, id, workshop, from);
  faultPoint('during-repack');
  await deleteReplaced(engine, id, from, [...reachable, ...unused]);
  return unused;
}

/** Writes both packs next to the old files, or neither. */
async function writePacks(engine: ReplacingNeeds, id: RepositoryId, workshop: Workshop, from: Rewritable) {
  const reachable = await packReachable(workshop);
  try {
    const kept = [...new Set([...reachable, ...(await newerPacks(from))])];
    const going = packNames(from.old).filter((name) => !kept.includes(name));
    return { reachable, unused: await packUnused(workshop, { kept, going, expireBeforeMs: null }) };
  } catch (error) {
    // The lock waits for forks that are linking the files.
    await engine.locks.alone(id, () => deletePacks(from.folder, reachable, packNames(from.old)));
    throw error;
  }
}
