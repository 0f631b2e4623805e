import type { Engine } from '../engine.ts';
import type { RepositoryId } from '../model.ts';
import { writeIndexes } from './indexes.ts';
import { rewritableOf } from './rewrite-packs.ts';
import { separateUnused } from './separate-unused.ts';
import { inWorkshop } from './workshop.ts';

/** Deletes no object. */
export async function repack(engine: Engine, id: RepositoryId): Promise<'done'> {
  const from = await rewritableOf(engine, id);
  await inWorkshop(engine, from, async (workshop) => {
    await separateUnused(engine, id, workshop, from);
    await writeIndexes(workshop);
  });
  engine.pool.end(`${id}`);
  return 'done';
}
