import type { Engine } from '../engine.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { writeIndexes } from './indexes.ts';
import { type ListingNeeds, rewritableOf } from './rewrite-packs.ts';
import { rollUp, rollUpOf } from './roll-up.ts';
import { separateUnused } from './separate-unused.ts';
import { inWorkshop } from './workshop.ts';

/**
 * Joins small packs and loose objects. If they make up most of the repository, rewrites all packs. Deletes no object.
 */
export async function repack(
  engine: ListingNeeds & Pick<Engine, 'liveFolders' | 'pool'>,
  id: RepositoryId,
): Promise<'done'> {
  const from = await rewritableOf(engine, id);
  const plan = rollUpOf(from);
  await inWorkshop(engine, from, async (workshop) => {
    if (plan.left.length > 0) await rollUp(engine, id, { workshop, from, plan });
    else await separateUnused(engine, id, workshop, from);
    await writeIndexes(workshop);
  });
  engine.pool.end(`${id}`);
  return 'done';
}
