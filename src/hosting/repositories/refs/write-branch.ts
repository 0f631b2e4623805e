import type { Viewer } from '../../../api/access/viewer.ts';
import { invalid } from '../../../base/core/failure.ts';
import type { Tx } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';
import { FairTurns } from './fair-turns.ts';
import { LOST_RACE, untilNoRaceIsLost } from './lost-races.ts';
import type { PushFacts } from './push-rules.ts';
import { type Pushes, type PushResult, WHY_REJECTED } from './pushes.ts';

/** A change of one branch. */
interface BranchWrite<T> extends PushFacts {
  /** short name */
  readonly branch: string;
  readonly pusher: Viewer;
  /** Long changes of a branch wait only for each other, so short ones need not wait for them. */
  readonly isLong?: boolean;
  /**
   * Decides what the branch shall point to, from the repository as it is in this session. Runs again on the new tip
   * if another writer was faster, so a conflict means what this function says: it throws, or it merges.
   *
   * @param tip what the branch points to; null if it does not exist
   * @throws Superseded if the session is older than something else that the change depends on
   */
  build(session: WriteSession, tip: Oid | null): Promise<BuiltChange<T>>;
}

export interface BuiltChange<T> {
  /** in the session or in the repository; null: the branch stays as it is */
  readonly commit: Oid | null;
  readonly result: T;
  /** Writes rows that belong to this change, in the transaction that moves the branch. May throw `Superseded`. */
  readonly alsoInTransaction?: (tx: Tx) => Promise<void>;
  /** As `alsoInTransaction`, after the rules have decided, for events. */
  readonly afterRules?: (tx: Tx) => Promise<void>;
}

/** Reports that a change was built on a state that has been replaced: nothing was written, and it is built again. */
export class Superseded extends Error {}

interface Dependencies {
  readonly git: Pick<GitStorage, 'writes'>;
  readonly pushes: Pick<Pushes, 'push'>;
}

/** The one way in which the server itself writes a branch. */
export class BranchWriter {
  readonly #use: Dependencies;
  /** Writers of one branch in this process take turns, so they do not lose races against each other. */
  readonly #turns = new FairTurns({
    what: 'changes of this branch',
    queueMax: REPOSITORY_LIMITS.branchQueueMax,
    queuePerCallerMax: REPOSITORY_LIMITS.branchQueuePerCallerMax,
    waitMs: REPOSITORY_LIMITS.branchQueueWaitMs,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Builds a change and pushes it, again and again while pushes or other processes move the branch.
   *
   * @returns the result of the `build` whose change was written
   * @throws ForgeError as `Pushes.push`, the denial of a rule, `invalid` for a name that conflicts with another ref,
   *   `busy` if the branch keeps changing, or too many writers wait for it
   */
  write<T>(write: BranchWrite<T>): Promise<T> {
    const { isLong = false, ...change } = write;
    const key = `${write.repository.id}:${write.branch}${isLong ? ':long' : ''}`;
    return this.#turns.run(key, () =>
      untilNoRaceIsLost('the branch keeps changing: try again', () =>
        this.#attempt(change).catch(asLostRace),
      ),
    );
  }

  async #attempt<T>({ branch, build, ...push }: BranchWrite<T>): Promise<T> {
    await using session = await this.#use.git.writes.begin(push.repository.id);
    const ref = branchRef(branch);
    const tip = session.base.ref(ref) ?? null;
    const { commit, result, ...rows } = await build(session, tip);
    if (commit === null) return result;
    const updates = [{ ref, old: tip, new: commit }];
    requireMoved(await this.#use.pushes.push(session, { ...push, ...rows, updates, atomic: true }));
    return result;
  }
}

function asLostRace(error: unknown): typeof LOST_RACE {
  if (error instanceof Superseded) return LOST_RACE;
  throw error;
}

/** @throws Superseded, ForgeError */
function requireMoved(results: readonly PushResult[]): void {
  for (const result of results) {
    if (result.outcome === 'denied') throw result.denial;
    if (result.outcome === 'moved') continue;
    throw result.cause === 'stale' ? new Superseded() : invalid(WHY_REJECTED[result.cause]);
  }
}
