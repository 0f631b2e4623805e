import { faultPoint } from '../../core/faults.ts';
import type { Engine } from '../engine.ts';
import { condemn, discardCondemned } from '../folders/condemned.ts';
import type { RepositoryId } from '../model.ts';
import { dropPackIndexes, writeIndexes } from './indexes.ts';
import { rewritePacks } from './rewrite-packs.ts';
import { inWorkshop } from './workshop.ts';

/** Moves all reachable objects into one pack and the others, with their dates, into another. Deletes no object. */
export async function repack(engine: Engine, id: RepositoryId): Promise<'done'> {
  await inWorkshop(engine, id, async (workshop) => {
    const old = await rewritePacks(workshop, null);
    faultPoint('during-repack');
    await engine.locks.alone(id, async () => {
      await dropPackIndexes(workshop.folder);
      await condemn(workshop.folder, workshop.path, old);
      await discardCondemned(workshop.path);
    });
    await writeIndexes(workshop);
  });
  engine.pool.end(`${id}`);
  return 'done';
}
