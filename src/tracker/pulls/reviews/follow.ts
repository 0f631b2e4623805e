import { SYSTEM } from '../../../api/access/viewer.ts';
import { undefinedIf } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { insertEvents } from '../../../base/events/store.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import { dismissesStaleApprovals, takesOnlyFreshApprovals } from '../../../code/protection/approvers.ts';
import type { Protections } from '../../../code/protection/service.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { NewEntry } from '../../issues/models/entries.ts';
import { addEntriesOf, findIssueById } from '../../issues/server-changes.ts';
import { PULL } from '../actions.ts';
import { PULL_REVIEW_DISMISSED } from '../events.ts';
import type { HeadMove } from '../heads/follow.ts';
import type { Retargeted } from '../retargeting.ts';
import { getPull } from '../store/pulls.ts';
import type { FollowingLines } from './follow-lines.ts';
import {
  dismissApprovals,
  listReviewsOfHead,
  markStale,
  type ReviewOfHead,
  setDismissed,
} from './store/reviews.ts';

/** A pull request that a user has changed after its reviews. */
type ChangedPull = Pick<HeadMove, 'issueId' | 'repositoryId' | 'number' | 'pusherId'>;

/** Approvals that new commits, or another base, have dismissed. */
interface Dismissed {
  readonly move: ChangedPull;
  readonly reviewIds: readonly number[];
}

const RECORD = defineJob<Dismissed>('pulls.record-dismissals');

/** Clients show this text as the reason. */
const WHY =
  'The pull request has new commits or another base, and the protection of the base takes no earlier approvals.';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly protections: Protections;
  readonly repositories: Repositories;
  readonly followingLines: FollowingLines;
}

/** Makes reviews follow the head of their pull request. */
export class ReviewFollower {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#use.jobs.register(RECORD, (dismissed) => this.#record(dismissed).catch(undefinedIf('not_found')));
  }

  /**
   * Makes the reviews of other heads stale in the transaction that moves the head, so that no approval of earlier commits
   * counts for a moment.
   */
  async whenHeadMoves(tx: Tx, move: HeadMove): Promise<void> {
    const { issueId, after } = move;
    const reviews = await listReviewsOfHead(tx, issueId);
    if (reviews.length === 0) return;
    const isStale = ({ commit }: ReviewOfHead) => commit !== after;
    if (reviews.some((review) => review.isStale !== isStale(review))) await markStale(tx, issueId, after);
    const counting = reviews.filter(({ state, isDismissed }) => state === 'approved' && !isDismissed);
    const stale = counting.filter(isStale).map(({ id }) => id);
    if (stale.length > 0 && (await this.#dismissesStale(tx, move))) {
      await setDismissed(tx, stale, { isDismissed: true, at: currentTimeMs() });
      await this.#recordLater(tx, [{ move, reviewIds: stale }]);
    }
    if (reviews.some(({ commentsCount }) => commentsCount > 0))
      await this.#use.followingLines.enqueue(tx, issueId);
  }

  /** Dismisses approvals that were given for another base, unless the protection of the new one takes old approvals. */
  async whenBaseChanges(tx: Tx, { repositoryId, pulls, to, actorId }: Retargeted): Promise<void> {
    const base = { repositoryId, branch: to };
    if (!(await takesOnlyFreshApprovals(this.#use.protections, tx, base))) return;
    const issueIds = pulls.map(({ issueId }) => issueId);
    const idsOf = await dismissApprovals(tx, issueIds, currentTimeMs());
    const dismissed = pulls.flatMap(({ issueId, number }): Dismissed[] => {
      const reviewIds = idsOf(issueId);
      const move = { issueId, repositoryId, number, pusherId: actorId };
      return reviewIds.length === 0 ? [] : [{ move, reviewIds }];
    });
    await this.#recordLater(tx, dismissed);
  }

  async #dismissesStale(tx: Tx, { issueId, repositoryId }: ChangedPull): Promise<boolean> {
    const { baseBranch: branch } = await getPull(tx, issueId);
    return dismissesStaleApprovals(this.#use.protections, tx, { repositoryId, branch });
  }

  /** Events come last in a transaction, and the transaction of the change continues. */
  #recordLater(tx: Tx, dismissed: readonly Dismissed[]): Promise<void> {
    return this.#use.jobs.enqueueAll(
      tx,
      RECORD,
      dismissed.map((payload) => ({ payload })),
    );
  }

  async #record({ move, reviewIds }: Dismissed): Promise<void> {
    const { issueId, repositoryId, number, pusherId } = move;
    await this.#use.database.transaction(async (tx) => {
      await this.#use.repositories.lock(tx, SYSTEM, repositoryId, PULL.read);
      if ((await findIssueById(tx, issueId)) === undefined) return;
      const entries = reviewIds.map(
        (reviewId): NewEntry => ({ kind: 'dismiss_review', body: WHY, details: { reviewId } }),
      );
      const by = { authorId: pusherId, at: currentTimeMs() };
      await addEntriesOf(tx, { id: issueId, repositoryId }, by, entries);
      const events = reviewIds.map((reviewId) => {
        const payload = { issueId, number, reviewId, isDismissed: true };
        return { actorId: pusherId, repositoryId, payload };
      });
      await insertEvents(tx, PULL_REVIEW_DISMISSED, events);
    });
  }
}
