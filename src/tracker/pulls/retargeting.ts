import { Signal } from '../../base/core/signal.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Tx } from '../../base/database/database.ts';
import { insertEvents } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { addEntryOfEach } from '../issues/server-changes.ts';
import { cancelAllScheduled } from './cancel-scheduled.ts';
import type { CheckJobs } from './checks/jobs.ts';
import { PULL_RETARGETED } from './events.ts';
import { PULL_LIMITS } from './limits.ts';
import type { PullState } from './model.ts';

type RetargetedPull = Pick<PullState, 'issueId' | 'number'>;

/** Pull requests of one repository that have another base now. */
export interface Retargeted {
  readonly repositoryId: RepositoryId;
  readonly pulls: readonly RetargetedPull[];
  /** short names of branches */
  readonly from: string;
  readonly to: string;
  readonly actorId: number;
}

interface Dependencies {
  readonly checkJobs: CheckJobs;
}

/** Records that pull requests have another base. */
export class Retargeting {
  /** in the transaction that gives pull requests another base, with at most `PULL_LIMITS.pullsRetargetedAtOnce` of them */
  readonly retargeted = new Signal<[tx: Tx, change: Retargeted]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Call it after all other writes of the transaction, because it ends with events. */
  async record(tx: Tx, change: Retargeted): Promise<void> {
    const parts = partsOf(change);
    for (const part of parts) await this.#recordPart(tx, part);
    for (const { pulls, from, to, actorId, repositoryId } of parts) {
      const events = pulls.map((pull) => ({ actorId, repositoryId, payload: { ...pull, from, to } }));
      await insertEvents(tx, PULL_RETARGETED, events);
    }
  }

  async #recordPart(tx: Tx, change: Retargeted): Promise<void> {
    const { repositoryId, pulls, from, to, actorId } = change;
    const issueIds = pulls.map(({ issueId }) => issueId);
    const entry = { kind: 'change_target_branch', details: { from, to } } as const;
    const entries = issueIds.map((id) => ({ issue: { id, repositoryId }, entry }));
    await addEntryOfEach(tx, { authorId: actorId, at: currentTimeMs() }, entries);
    await this.#use.checkJobs.enqueueAll(tx, issueIds);
    await this.retargeted.notify(tx, change);
    await cancelAllScheduled(tx, { issueIds, repositoryId }, actorId);
  }
}

/** Cuts a change into parts, because databases limit the parameters of a statement. */
function partsOf({ pulls, ...change }: Retargeted): readonly Retargeted[] {
  const countMax = PULL_LIMITS.pullsRetargetedAtOnce;
  return Array.from({ length: Math.ceil(pulls.length / countMax) }, (_, part) => ({
    ...change,
    pulls: pulls.slice(part * countMax, (part + 1) * countMax),
  }));
}
