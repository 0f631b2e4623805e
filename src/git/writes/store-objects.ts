import { notFound } from '../../base/core/failure.ts';
import { faultPoint } from '../../base/core/faults.ts';
import type { Tx } from '../../base/database/database.ts';
import type { Engine } from '../engine.ts';
import { insertFresh } from '../fresh/store.ts';
import { lockGitRepository } from '../store.ts';
import type { LocalWriteSession } from './local-write-session.ts';
import { type CommitNeeds, PrunedSince, withDurableObjects } from './ref-commit.ts';

/** Makes objects durable that no ref reaches yet. A prune keeps them, and what they reach, for its grace period. */
export async function storeObjects(
  engine: CommitNeeds & Pick<Engine, 'storedWithoutRef'>,
  session: LocalWriteSession,
  inTransaction: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  const { id } = session.base;
  try {
    await engine.locks.together(id, async () => {
      await withDurableObjects(engine, session, async (rows) => {
        await engine.database.transaction(async (tx) => {
          const row = await lockGitRepository(tx, id);
          if (row === undefined) throw notFound('repository');
          // The new objects may name some that the session has seen and the prune has deleted.
          if (row.pruneGen !== session.pruneGen) throw new PrunedSince();
          await insertFresh(tx, id, rows);
          await inTransaction(tx);
        });
        return { done: undefined, wroteRows: true };
      });
      engine.storedWithoutRef.set(id, (engine.storedWithoutRef.get(id) ?? 0) + 1);
    });
  } catch (error) {
    if (error instanceof PrunedSince) return false;
    throw error;
  }
  faultPoint('after-commit');
  session.publish();
  return true;
}
