import { ForgeError, notFound } from '../../base/core/failure.ts';
import { faultPoint } from '../../base/core/faults.ts';
import type { Tx } from '../../base/database/database.ts';
import type { Engine } from '../engine.ts';
import { insertFresh } from '../fresh/store.ts';
import type { RefResult, RefUpdate } from '../interface/refs.ts';
import type { CommitOptions, FollowingRef } from '../interface/writes.ts';
import type { LooseFile } from '../objects/loose-objects.ts';
import type { Ref, RefChanges, RefTable } from '../refs/ref-table.ts';
import { type Decided, decideUpdates, readTargets, requireDistinct, toChanges } from '../refs/ref-updates.ts';
import { lockGitRepository, setGen, setRefs } from '../store.ts';
import type { LocalWriteSession } from './local-write-session.ts';

/** What a commit uses of the engine. */
export type CommitNeeds = Pick<Engine, 'database' | 'fresh' | 'locks' | 'versions'>;

/** A prune ran after a check of objects that the transaction relies on. The transaction is rolled back. */
export class PrunedSince extends Error {}

interface Committed extends Decided {
  /** null: nothing was written */
  readonly written: { readonly version: number; readonly refs: RefTable } | null;
}

/** Makes objects durable, then writes all refs and dependent rows in one transaction. The mirror follows later. */
export async function commitUpdates(
  engine: CommitNeeds,
  session: LocalWriteSession,
  updates: readonly RefUpdate[],
  options: CommitOptions,
): Promise<readonly RefResult[]> {
  requireDistinct(updates);
  const { id } = session.base;
  const committed = await engine.locks.together(id, async () => {
    const targets = await readTargets(session.objects, updates);
    for (const tip of options.tips ?? []) await session.objects.readCommit(tip);
    return withDurableObjects(engine, session, async (rows) => {
      const done = await commitUnlessPruned(engine, session, { updates, targets, rows, ...options });
      return { done, wroteRows: done.written !== null };
    });
  });
  faultPoint('after-commit');
  if (committed.written !== null) {
    engine.versions.remember(id, committed.written.version, committed.written.refs);
    session.publish();
  }
  return committed.results;
}

/**
 * Makes the objects of a session durable together with the transaction of `work`.
 *
 * @param work writes `rows`, the objects of a small change, in its transaction, and returns whether it has
 */
export async function withDurableObjects<T>(
  engine: CommitNeeds,
  session: LocalWriteSession,
  work: (rows: readonly LooseFile[]) => Promise<{ done: T; wroteRows: boolean }>,
): Promise<T> {
  const { id } = session.base;
  const rows = await session.makeDurable();
  engine.fresh.announce(id, rows);
  let isKept = false;
  try {
    faultPoint('before-commit');
    const { done, wroteRows } = await work(rows);
    isKept = wroteRows;
    return done;
  } finally {
    if (!isKept) engine.fresh.withdraw(id, rows);
  }
}

interface Move extends CommitOptions {
  readonly rows: readonly LooseFile[];
  readonly updates: readonly RefUpdate[];
  readonly targets: ReadonlyMap<string, Ref>;
}

async function commitUnlessPruned(
  engine: CommitNeeds,
  session: LocalWriteSession,
  move: Move,
): Promise<Committed> {
  for (;;) {
    try {
      return await engine.database.transaction((tx) => moveRefs(engine, tx, session, move));
    } catch (error) {
      if (!(error instanceof PrunedSince)) throw error;
      await requireConnected(session, move);
    }
  }
}

async function moveRefs(
  engine: CommitNeeds,
  tx: Tx,
  session: LocalWriteSession,
  move: Move,
): Promise<Committed> {
  const { id } = session.base;
  const row = await lockGitRepository(tx, id);
  if (row === undefined) throw notFound('repository');
  if (row.pruneGen !== session.pruneGen) throw new PrunedSince();
  const current = await engine.versions.at(tx, id, row);
  if (current === undefined) throw new Error(`refs of repository ${id} are newer than its row`);
  const decided = decideUpdates(current.refs, move.updates, move);
  if (decided.moved.length === 0 && move.tips === undefined) return { ...decided, written: null };
  const version = row.gen + 1;
  const changes = toChanges(decided.moved, move.targets);
  await insertFresh(tx, id, move.rows);
  await setRefs(tx, id, version, changes);
  await setGen(tx, id, version);
  const following = toFollow(await move.inTransaction(tx, decided.moved));
  await setRefs(tx, id, version, following);
  return { ...decided, written: { version, refs: current.refs.with(new Map([...changes, ...following])) } };
}

function toFollow(following: readonly FollowingRef[]): RefChanges {
  return new Map(
    following.map(({ ref, commit }) => [ref, commit === null ? null : { oid: commit, peeled: null }]),
  );
}

async function requireConnected(session: LocalWriteSession, { updates, tips = [] }: Move): Promise<void> {
  const targets = updates.flatMap(({ new: oid }) => (oid === null ? [] : [oid]));
  const missing = await session.findDisconnected([...targets, ...tips]);
  if (missing.length === 0) return;
  throw new ForgeError({
    kind: 'busy',
    what: 'objects that this push needs were unused and have been deleted; push again',
    retryAfterSeconds: 1,
  });
}
