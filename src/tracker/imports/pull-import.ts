import { eachAtOnce } from '../../base/core/fairness/each-at-once.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Oid } from '../../git/format/model.ts';
import { pullHeadRef } from '../../git/format/ref-names.ts';
import { PULL_LIMITS } from '../pulls/limits.ts';
import type { ImportedPull, ImportedReview, ImportedReviewRequest } from '../pulls/staging/model.ts';
import type { PullStaging } from '../pulls/staging/service.ts';
import { tooMany } from './family-server.ts';
import type { Fields } from './fields.ts';
import type { SeenIssue } from './issue-import.ts';
import { IMPORT_LIMITS } from './limits.ts';
import {
  importedPull,
  importedReview,
  importedReviewComment,
  type PullRecord,
  type ReviewCommentRecord,
  type ReviewRecord,
} from './pull-records.ts';
import { missingList, type TrackerSource, unlessMalformed } from './tracker-source.ts';

/** A pull request whose reviews are to be read. */
interface TakenPull {
  readonly number: number;
  readonly isOpen: boolean;
  readonly head: Oid;
  /** names there of users of whom reviews are requested, as its own record says */
  readonly reviewers: readonly string[];
}

/**
 * Reads what pull requests have besides their issues: branches, merges, reviews and comments on lines. They go to the
 * staging, some at a time. Records that cannot be used are left out.
 */
export class PullImport {
  readonly #from: TrackerSource;
  readonly #staging: PullStaging;
  readonly #taken = new Map<number, TakenPull>();
  /** The database lets two branches have one open pull request. */
  readonly #openBetween = new Set<string>();
  readonly #reviewKeys = new Set<number>();
  #reviews = 0;
  #comments = 0;
  /** Reviewers without an account here, and teams, of open pull requests. */
  readonly #strangers = new Set<string>();
  readonly #teams = new Set<string>();
  #lists = { found: 0, missing: 0 };

  constructor(from: TrackerSource, staging: PullStaging) {
    this.#from = from;
    this.#staging = staging;
  }

  /** @param issues that were read, by number */
  async read(issues: ReadonlyMap<number, SeenIssue>): Promise<void> {
    const { omissions } = this.#from;
    const listed = await this.#readPulls(issues);
    const unlisted = [...issues].filter(([number, { isPull }]) => isPull && !listed.has(number));
    omissions.add('pull requests that only the list of issues has', unlisted.length);
    const oldestFirst = [...this.#taken.values()].toReversed();
    const { importedReviewListsAtOnce: countMax } = IMPORT_LIMITS;
    await eachAtOnce(oldestFirst, countMax, (pull) => this.#readReviews(pull));
    omissions.add('pull requests whose reviews the source does not list', this.#lists.missing);
    omissions.add('requests for reviews by users without an account here', this.#strangers.size);
    omissions.add('requests for reviews by teams', this.#teams.size);
  }

  /** @returns all numbers in the list */
  async #readPulls(issues: ReadonlyMap<number, SeenIssue>): Promise<ReadonlySet<number>> {
    const { server, path, copying, omissions } = this.#from;
    const listed = new Set<number>();
    const pages = server.pages(`${path}/pulls?state=all`, {
      what: 'pull requests',
      itemsMax: IMPORT_LIMITS.importedPullsMax,
      onMissing: () => omissions.add(missingList('pull requests')),
    });
    for await (const page of pages) {
      for (const fields of page) listed.add(fields.count('number'));
      const pulls = page.flatMap((fields) => this.#takePull(fields, issues) ?? []);
      await this.#staging.addPulls(copying.id, pulls);
      copying.progress.pulls += pulls.length;
    }
    return listed;
  }

  #takePull(fields: Fields, issues: ReadonlyMap<number, SeenIssue>): ImportedPull | undefined {
    const { copying, omissions } = this.#from;
    const read = unlessMalformed(this.#from, 'pull requests', () => importedPull(fields, this.#context()));
    if (read === undefined) return undefined;
    if ('problem' in read) {
      omissions.add(read.problem);
      return undefined;
    }
    const { number, head } = read.pull;
    const issue = issues.get(number);
    if (issue === undefined || !issue.isPull) {
      omissions.add(
        `pull requests ${issue === undefined ? 'without an issue' : 'with the number of an issue'}`,
      );
      return undefined;
    }
    if (this.#taken.has(number)) return undefined;
    const { isOpen } = issue;
    this.#taken.set(number, { number, isOpen, head: head.sha, reviewers: read.reviewers });
    copying.wantedHeads.set(pullHeadRef(number), head.sha);
    omissions.add('merges whose commit the source does not know', read.lacksMerge ? 1 : 0);
    if (isOpen) for (const team of read.teams) this.#teams.add(`${number} ${team}`);
    return this.#withOwnBranches(read, isOpen);
  }

  /** Returns a pull request without the branch of its head, if another open one has the same two branches. */
  #withOwnBranches({ pull }: PullRecord, isOpen: boolean): ImportedPull {
    const { flow, base, head } = pull;
    if (!isOpen || !head.isOwn) return pull;
    const branches = JSON.stringify([flow, head.branch, base]);
    if (!this.#openBetween.has(branches)) {
      this.#openBetween.add(branches);
      return pull;
    }
    this.#from.omissions.add('branches of pull requests that have those of another open one');
    return { ...pull, head: { ...head, isOwn: false } };
  }

  async #readReviews(pull: TakenPull): Promise<void> {
    const { server, path, omissions } = this.#from;
    const { found, missing } = this.#lists;
    if (found === 0 && missing >= IMPORT_LIMITS.importedReviewListsMissingMax) {
      this.#lists.missing += 1;
      return;
    }
    const { reviewsPerPullMax, reviewCommentsPerPullMax } = PULL_LIMITS;
    let isMissing = false;
    let seen = 0;
    let comments = 0;
    const pages = server.pages(`${path}/pulls/${pull.number}/reviews`, {
      what: 'reviews',
      itemsMax: IMPORT_LIMITS.importedReviewsMax,
      onMissing: () => {
        isMissing = true;
      },
    });
    for await (const page of pages) {
      this.#countReviews(page.length);
      const taken = await this.#stageReviews(page.slice(0, reviewsPerPullMax - seen), pull);
      for (const review of taken)
        comments += await this.#stageComments(review, pull, reviewCommentsPerPullMax - comments);
      seen += page.length;
      if (seen <= reviewsPerPullMax) continue;
      omissions.add(
        `pull requests with more than ${reviewsPerPullMax} reviews, the rest of which is left out`,
      );
      break;
    }
    this.#lists[isMissing ? 'missing' : 'found'] += 1;
    await this.#stageOwnRequests(pull);
  }

  /** Stages the reviews and requests for reviews of a page. @returns the reviews that have comments on lines */
  async #stageReviews(page: readonly Fields[], pull: TakenPull): Promise<readonly ImportedReview[]> {
    const { copying } = this.#from;
    const read = page.flatMap((fields) => this.#readReview(fields, pull) ?? []);
    const requests = read.flatMap((each) => (each.kind === 'request' ? this.#requestOf(pull, each) : []));
    const taken = read.flatMap((each) => (each.kind === 'review' && this.#isNew(each.review) ? [each] : []));
    const reviews = taken.map(({ review }) => review);
    await this.#staging.addReviews(copying.id, { reviews, requests });
    copying.progress.reviews += reviews.length;
    return taken.flatMap(({ review, hasComments }) => (hasComments ? [review] : []));
  }

  /** Stages the requests that the record of a pull request itself has. */
  async #stageOwnRequests(pull: TakenPull): Promise<void> {
    // These come last, because the others say whether they count for the protection of the base.
    const requests = pull.reviewers.flatMap((reviewer) => {
      const request = { number: pull.number, isOfficial: false, createdAt: currentTimeMs() };
      return this.#requestOf(pull, { reviewer, request });
    });
    if (requests.length > 0) await this.#staging.addReviews(this.#from.copying.id, { reviews: [], requests });
  }

  #readReview(fields: Fields, pull: TakenPull): ReviewRecord | undefined {
    const { omissions } = this.#from;
    const read = unlessMalformed(this.#from, 'reviews', () =>
      importedReview(fields, pull.number, this.#context()),
    );
    if (read?.kind === 'unknown') omissions.add('reviews in an unknown state');
    if (read?.kind === 'team-request' && pull.isOpen) this.#teams.add(`${pull.number} ${read.team}`);
    return read;
  }

  #requestOf(
    { number, isOpen }: TakenPull,
    { reviewer, request }: Pick<ReviewRecord & { kind: 'request' }, 'reviewer' | 'request'>,
  ): readonly ImportedReviewRequest[] {
    if (!isOpen) return [];
    const accountId = this.#from.items.authors.get(reviewer);
    if (accountId !== undefined) return [{ ...request, accountId }];
    this.#strangers.add(`${number} ${reviewer}`);
    return [];
  }

  /** Counts reviews and requests for reviews. @throws RemoteError if there are too many */
  #countReviews(count: number): void {
    this.#reviews += count;
    if (this.#reviews > IMPORT_LIMITS.importedReviewsMax)
      throw tooMany(IMPORT_LIMITS.importedReviewsMax, 'reviews');
  }

  #isNew({ key, body }: ImportedReview): boolean {
    if (this.#reviewKeys.has(key)) return false;
    this.#reviewKeys.add(key);
    this.#from.texts.add(body);
    return true;
  }

  /**
   * Stages the comments of one review. These may have many megabytes, so the next review is read only afterwards.
   *
   * @param countMax comments after the first `countMax` are left out
   * @returns the number of staged comments
   */
  async #stageComments(review: ImportedReview, pull: TakenPull, countMax: number): Promise<number> {
    const { copying, omissions, texts } = this.#from;
    const read = await this.#readComments(review, pull);
    const taken = read.slice(0, countMax);
    const comments = taken.map(({ comment }) => comment);
    for (const { body, hunk } of comments) texts.add(body, hunk);
    omissions.add(
      'marks of comments that users without an account here have resolved',
      taken.filter(({ losesResolver }) => losesResolver).length,
    );
    omissions.add(
      `comments on lines after the first ${PULL_LIMITS.reviewCommentsPerPullMax} of a pull request`,
      read.length - taken.length,
    );
    if (comments.length > 0) await this.#staging.addReviewComments(copying.id, comments);
    return comments.length;
  }

  async #readComments(review: ImportedReview, pull: TakenPull): Promise<readonly ReviewCommentRecord[]> {
    const { server, path, omissions } = this.#from;
    const itemsMax = IMPORT_LIMITS.importedReviewCommentsMax;
    const list = { what: 'comments on lines', itemsMax };
    const found = await server.findList(`${path}/pulls/${pull.number}/reviews/${review.key}/comments`, list);
    if (found === undefined) {
      omissions.add('reviews whose comments the source does not list');
      return [];
    }
    this.#comments += found.length;
    if (this.#comments > itemsMax) throw tooMany(itemsMax, list.what);
    const of = { review, head: pull.head };
    const read = (fields: Fields) => importedReviewComment(fields, of, this.#context());
    return found.flatMap(
      (fields) => unlessMalformed(this.#from, 'comments on lines', () => read(fields)) ?? [],
    );
  }

  #context() {
    const { copying, items } = this.#from;
    return { authors: items.authors, objectFormat: copying.objectFormat };
  }
}
