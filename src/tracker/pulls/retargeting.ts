import { Signal } from '../../base/core/signal.ts';
import type { Tx } from '../../base/database/database.ts';
import { insertEvents } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { addEntryOfEach } from '../issues/server-changes.ts';
import { cancelScheduled } from './cancel-scheduled.ts';
import type { CheckJobs } from './checks/jobs.ts';
import { PULL_RETARGETED } from './events.ts';
import type { HeadMove } from './heads/follow.ts';
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
  /** in the transaction that gives a pull request another base */
  readonly retargeted = new Signal<
    [tx: Tx, change: Pick<HeadMove, 'issueId' | 'repositoryId' | 'number' | 'pusherId'>]
  >();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Call it after all other writes of the transaction, because it ends with events. */
  async record(tx: Tx, { repositoryId, pulls, from, to, actorId }: Retargeted): Promise<void> {
    if (pulls.length === 0) return;
    const entry = { kind: 'change_target_branch', details: { from, to } } as const;
    const entries = pulls.map(({ issueId: id }) => ({ issue: { id, repositoryId }, entry }));
    await addEntryOfEach(tx, { authorId: actorId, at: Date.now() }, entries);
    for (const { issueId, number } of pulls) {
      await this.#use.checkJobs.enqueue(tx, issueId);
      await this.retargeted.notify(tx, { issueId, repositoryId, number, pusherId: actorId });
      await cancelScheduled(tx, { issueId, repositoryId }, actorId);
    }
    const events = pulls.map((pull) => ({ actorId, repositoryId, payload: { ...pull, from, to } }));
    await insertEvents(tx, PULL_RETARGETED, events);
  }
}
