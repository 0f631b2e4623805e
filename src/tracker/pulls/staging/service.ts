import { undefinedIf } from '../../../base/core/failure.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import { BRANCHES, pullHeadRef } from '../../../git/format/ref-names.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { CopiedRefs } from '../../../hosting/mirrors/model.ts';
import type { PullPublication } from '../../issues/models/staging.ts';
import { deleteStaged, inRanges } from '../../issues/staging/writes.ts';
import type { CheckJobs } from '../checks/jobs.ts';
import type { HeadFollower } from '../heads/follow.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { FollowingLines } from '../reviews/follow-lines.ts';
import type { ImportedPull, ImportedReview, ImportedReviewComment, ImportedReviewRequest } from './model.ts';
import { listOpen } from './store/open.ts';
import {
  listStagedHeads,
  publishPulls,
  publishRequests,
  publishReviewComments,
  publishReviews,
  type StagedHead,
  setReviewEntries,
} from './store/publish.ts';
import {
  insertStagedPulls,
  insertStagedRequests,
  insertStagedReviewComments,
  insertStagedReviews,
} from './store/stage.ts';
import { PULLS, REQUESTS, REVIEW_COMMENTS, REVIEWS, STAGED_TABLES } from './store/tables.ts';

const FINISH = defineJob<{ readonly repositoryId: RepositoryId }>('pulls.finish-import');

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly jobs: Jobs;
  readonly checkJobs: CheckJobs;
  readonly headFollower: HeadFollower;
  readonly followingLines: FollowingLines;
}

/** Reviews and requests for reviews that arrive together. */
export interface ImportedReviews {
  readonly reviews: readonly ImportedReview[];
  readonly requests: readonly ImportedReviewRequest[];
}

/**
 * Imports pull requests of other servers, as `IssueStaging` imports their issues: rows are staged in bounded
 * transactions, the transaction that publishes the repository copies them inside the database, and a job checks the
 * open pull requests and deletes the staged rows.
 */
export class PullStaging {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    dependencies.jobs.register(FINISH, ({ repositoryId }, { signal }) => this.#finish(repositoryId, signal), {
      atOnceMax: 1,
    });
  }

  async addPulls(id: RepositoryId, pulls: readonly ImportedPull[]): Promise<void> {
    await this.#use.database.transaction((tx) => insertStagedPulls(tx, id, pulls));
  }

  async addReviews(id: RepositoryId, { reviews, requests }: ImportedReviews): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      await insertStagedReviews(tx, id, reviews);
      await insertStagedRequests(tx, id, requests);
    });
  }

  async addReviewComments(id: RepositoryId, comments: readonly ImportedReviewComment[]): Promise<void> {
    await this.#use.database.transaction((tx) => insertStagedReviewComments(tx, id, comments));
  }

  /** @param copied the refs that the repository gets */
  publication(id: RepositoryId, copied: CopiedRefs): PullPublication {
    return {
      publish: (tx) => this.#publish(tx, id, copied),
      link: (tx, entries) => setReviewEntries(tx, entries),
    };
  }

  async #publish(tx: Tx, id: RepositoryId, copied: CopiedRefs): Promise<void> {
    await inRanges(tx, id, PULLS, async (tx, range) => {
      const heads = await listStagedHeads(tx, id, range);
      const published = heads.map((head) => publishedHead(head, copied));
      await publishPulls(tx, id, range, published);
    });
    await inRanges(tx, id, REQUESTS, (tx, range) => publishRequests(tx, id, range));
    await inRanges(tx, id, REVIEWS, (tx, range) => publishReviews(tx, id, range));
    await inRanges(tx, id, REVIEW_COMMENTS, (tx, range) => publishReviewComments(tx, id, range));
    await this.release(tx, id);
  }

  /** Schedules deletion of the staged rows after the repository is published or abandoned. */
  release(tx: Tx, id: RepositoryId): Promise<void> {
    return this.#use.jobs.enqueue(tx, FINISH, { key: `${id}`, payload: { repositoryId: id } });
  }

  async #finish(id: RepositoryId, signal: AbortSignal): Promise<void> {
    await this.#check(id, signal).catch(undefinedIf('not_found'));
    while (await this.#use.database.transaction((tx) => deleteStaged(tx, id, STAGED_TABLES)))
      signal.throwIfAborted();
  }

  /**
   * Requests checks of the open pull requests, moves of heads whose branches have moved at the source, and moves of
   * comments on lines of earlier heads.
   */
  async #check(id: RepositoryId, signal: AbortSignal): Promise<void> {
    const { database, git, checkJobs, headFollower, followingLines } = this.#use;
    const snapshot = await git.refs.open(id);
    const tipOf = (branch: string) => snapshot.ref(`${BRANCHES}${branch}`);
    const requested = new Set<string>();
    const countMax = PULL_LIMITS.pullsCheckedAtOnce;
    for (let after = 0; ; ) {
      signal.throwIfAborted();
      const pulls = await listOpen(database.reader, id, { after, countMax });
      const last = pulls.at(-1);
      if (last === undefined) return;
      const bases = new Set(pulls.map(({ base }) => base).filter((base) => tipOf(base) !== undefined));
      const moved = pulls.filter(({ headBranch, sha }) => {
        const tip = headBranch === null ? undefined : tipOf(headBranch);
        return tip !== undefined && tip !== sha;
      });
      await database.transaction(async (tx) => {
        for (const base of bases) if (!requested.has(base)) await checkJobs.enqueueBase(tx, id, base);
        for (const { issueId } of moved) await headFollower.enqueue(tx, issueId, null);
        for (const { issueId, hasEarlierLines } of pulls)
          if (hasEarlierLines) await followingLines.enqueue(tx, issueId);
      });
      for (const base of bases) requested.add(base);
      after = last.issueId;
    }
  }
}

function publishedHead({ number, isBranch, branch, sha }: StagedHead, copied: CopiedRefs) {
  return {
    number,
    sha: copied.get(pullHeadRef(number)) ?? sha,
    hasBranch: isBranch && copied.has(`${BRANCHES}${branch}`),
  };
}
