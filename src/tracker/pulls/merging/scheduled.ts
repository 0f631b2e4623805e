import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { findWithCode } from '../../../hosting/repositories/collaborators/code-users.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { cancelScheduled } from '../cancel-scheduled.ts';
import type { HeadMove } from '../heads/follow.ts';
import { PULL_LIMITS } from '../limits.ts';
import { findScheduled, listScheduled, listScheduledOf } from '../store/scheduled.ts';
import type { PullMerges } from './service.ts';

const TRY = defineJob<{ readonly issueId: number }>('pulls.try-scheduled');

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly merges: PullMerges;
  readonly repositories: Repositories;
}

/** Tries scheduled merges when something changes on which they may wait, and now and then. */
export class ScheduledMerges {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { database, jobs, merges } = dependencies;
    jobs.register(TRY, ({ issueId }) => merges.tryScheduled(issueId), { atOnceMax: 2 });
    jobs.schedule('pulls.try-all-scheduled', PULL_LIMITS.scheduledTriedEveryMs, async (_, { signal }) => {
      for (const issueId of await listScheduled(database.reader)) {
        signal.throwIfAborted();
        await merges.tryScheduled(issueId);
      }
    });
  }

  /**
   * Lets a scheduled merge stay if who has moved the head may write the base, and the request did not name the commit to
   * merge. Otherwise cancels it. A push to a fork always does: the head gets the commits of several pushes at once.
   */
  async whenHeadMoves(tx: Tx, { issueId, repositoryId, pusherId, isFetched }: HeadMove): Promise<void> {
    const scheduled = await findScheduled(tx, issueId);
    if (scheduled === undefined) return;
    const accountIds = pusherId === null || isFetched ? [] : [pusherId];
    const writers = await findWithCode(tx, repositoryId, { level: 'write', accountIds });
    if (writers.size === 0 || scheduled.wish.head !== undefined)
      await cancelScheduled(tx, { issueId, repositoryId }, pusherId);
  }

  /** Requests that the merges are tried which wait for a status of this commit. */
  async whenStatusChanges(tx: Tx, repositoryId: RepositoryId, head: Oid): Promise<void> {
    for (const issueId of await listScheduledOf(tx, { repositoryId, head })) await this.#enqueue(tx, issueId);
  }

  /** Requests that the scheduled merge of a pull request is tried, if there is one. */
  async whenReviewsChange(tx: Tx, issueId: number): Promise<void> {
    if ((await findScheduled(tx, issueId)) !== undefined) await this.#enqueue(tx, issueId);
  }

  #enqueue(tx: Tx, issueId: number): Promise<void> {
    return this.#use.jobs.enqueue(tx, TRY, { key: `${issueId}`, payload: { issueId } });
  }
}
