import type { Selectable } from 'kysely';
import { idOf, NO_ID, type Viewer } from '../../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import type { Db, Tx } from '../../../../base/database/database.ts';
import { type Fragment, flag, fragment, raw, values } from '../../../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../../../base/database/query.ts';
import type { PullReviewsTable } from '../../../../base/database/schema/pulls.ts';
import type { ReviewRow, ReviewState, Verdict } from '../model.ts';

type Row = Selectable<PullReviewsTable> & { state: ReviewState };

const COLUMNS = raw(
  [
    'v.id, v.issue_id, v.repository_id, v.account_id, v.team_id, v.state, v.entry_id, v.body',
    'v.commit_sha, v.is_official, v.is_stale, v.is_dismissed, v.comments_count, v.original_author',
    'v.original_author_id, v.created_at, v.updated_at',
  ].join(', '),
);

function reviewOfRow(row: Row): ReviewRow {
  return {
    id: row.id,
    issueId: row.issue_id,
    repositoryId: row.repository_id,
    accountId: row.account_id,
    teamId: row.team_id,
    state: row.state,
    entryId: row.entry_id,
    body: row.body,
    commit: row.commit_sha,
    isOfficial: row.is_official === 1,
    isStale: row.is_stale === 1,
    isDismissed: row.is_dismissed === 1,
    commentsCount: row.comments_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    originalAuthor: { id: row.original_author_id, name: row.original_author },
  };
}

/** A pending review is hidden from everyone but its author. Expects `pull_reviews v`. */
export function isShownTo(viewer: Viewer): Fragment {
  return fragment`(v.state <> 'pending' or v.account_id = ${idOf(viewer)})`;
}

/** Lists the reviews of a pull request that the viewer may see, and requests for reviews, the oldest first. */
export function listReviews(
  db: Db,
  viewer: Viewer,
  issueId: number,
  paging: Paging,
): Promise<Page<ReviewRow>> {
  return queryPage(
    db,
    {
      select: COLUMNS,
      from: fragment`pull_reviews v where v.issue_id = ${issueId} and ${isShownTo(viewer)}`,
      orderBy: raw('v.id'),
    },
    paging,
    reviewOfRow,
  );
}

/** Finds the reviews of a pull request with these ids that the viewer may see. */
export async function findReviews(
  db: Db,
  viewer: Viewer,
  { ids, issueId }: { readonly ids: readonly number[]; readonly issueId: number },
): Promise<readonly ReviewRow[]> {
  if (ids.length === 0) return [];
  const rows = await query<Row>(
    db,
    fragment`select ${COLUMNS} from pull_reviews v
      where v.id in (${values(ids)}) and v.issue_id = ${issueId} and ${isShownTo(viewer)}`,
  );
  return rows.map(reviewOfRow);
}

/** Finds the pending review of an account. */
export async function findPending(
  db: Db,
  { issueId, accountId }: { readonly issueId: number; readonly accountId: number },
): Promise<ReviewRow | undefined> {
  const row = await queryFirst<Row>(
    db,
    fragment`select ${COLUMNS} from pull_reviews v
      where v.issue_id = ${issueId} and v.account_id = ${accountId} and v.state = 'pending'`,
  );
  return row && reviewOfRow(row);
}

/**
 * Lists the requests for reviews of a pull request, and the last verdict and the last comment of each reviewer, the oldest
 * first.
 */
export async function listStanding(db: Db, issueId: number, countMax: number): Promise<readonly ReviewRow[]> {
  const rows = await query<Row>(
    db,
    fragment`select ${COLUMNS} from pull_reviews v where v.issue_id = ${issueId} and (v.state = 'requested'
        or v.id in (select max(w.id) from pull_reviews w
          where w.issue_id = ${issueId} and w.state in ('approved', 'rejected', 'comment')
          group by w.account_id, w.original_author_id, case when w.state = 'comment' then 1 else 0 end))
      order by v.id desc limit ${countMax}`,
  );
  return rows.map(reviewOfRow).toReversed();
}

/** Numbers of the reviewers whose last verdict approves, and requests changes. */
export interface VerdictCounts {
  readonly approvals: number;
  readonly rejections: number;
}

/** Counts the last verdicts of reviewers of several pull requests, by the ids of their issues. */
export async function countVerdicts(
  db: Db,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, VerdictCounts>> {
  if (issueIds.length === 0) return new Map();
  const rows = await query<{ issue_id: number; approvals: number; rejections: number }>(
    db,
    fragment`select v.issue_id, sum(case when v.state = 'approved' then 1 else 0 end) as approvals,
        sum(case when v.state = 'rejected' then 1 else 0 end) as rejections
      from pull_reviews v where v.id in (select max(w.id) from pull_reviews w
        where w.issue_id in (${values(issueIds)}) and w.state in ('approved', 'rejected') and w.is_dismissed = 0
        group by w.issue_id, w.account_id)
      group by v.issue_id`,
  );
  return new Map(
    rows.map((row) => [
      row.issue_id,
      { approvals: Number(row.approvals), rejections: Number(row.rejections) },
    ]),
  );
}

export async function countReviews(db: Db, issueId: number): Promise<number> {
  const row = await queryFirst<{ total: number }>(
    db,
    fragment`select count(*) as total from pull_reviews v where v.issue_id = ${issueId}`,
  );
  return row?.total ?? 0;
}

type NewRow = Pick<
  ReviewRow,
  'issueId' | 'repositoryId' | 'accountId' | 'teamId' | 'state' | 'body' | 'commit' | 'isOfficial' | 'isStale'
> & { readonly at: number };

/** @returns their ids, in this order */
export async function insertReviews(tx: Tx, reviews: readonly NewRow[]): Promise<readonly number[]> {
  if (reviews.length === 0) return [];
  const rows = await tx
    .insertInto('pull_reviews')
    .values(
      reviews.map((review) => ({
        issue_id: review.issueId,
        repository_id: review.repositoryId,
        account_id: review.accountId,
        team_id: review.teamId,
        state: review.state,
        entry_id: null,
        body: review.body,
        commit_sha: review.commit,
        is_official: flag(review.isOfficial),
        is_stale: flag(review.isStale),
        created_at: review.at,
        updated_at: review.at,
      })),
    )
    .returning('id')
    .execute();
  return rows.map(({ id }) => id).toSorted((one, other) => one - other);
}

/** Gives a pending review another text and commit. */
export async function setPending(
  tx: Tx,
  id: number,
  pending: Pick<ReviewRow, 'body' | 'commit' | 'isStale'> & { readonly at: number },
): Promise<void> {
  await query(
    tx,
    fragment`update pull_reviews set body = ${pending.body}, commit_sha = ${pending.commit},
        is_stale = ${flag(pending.isStale)}, updated_at = ${pending.at} where id = ${id}`,
  );
}

/** Submits a pending review. */
export async function setSubmitted(
  tx: Tx,
  id: number,
  submitted: Pick<ReviewRow, 'body' | 'commit' | 'isOfficial' | 'isStale'> & {
    readonly state: Verdict;
    readonly entryId: number;
    readonly at: number;
  },
): Promise<void> {
  const { state, entryId, body, commit, at } = submitted;
  await query(
    tx,
    fragment`update pull_reviews set state = ${state}, entry_id = ${entryId}, body = ${body}, commit_sha = ${commit},
        is_official = ${flag(submitted.isOfficial)}, is_stale = ${flag(submitted.isStale)}, created_at = ${at},
        updated_at = ${at} where id = ${id}`,
  );
}

/** Adds to the number of comments of a review. */
export async function addToCommentsCount(tx: Tx, id: number, by: number): Promise<void> {
  if (by === 0) return;
  await query(tx, fragment`update pull_reviews set comments_count = comments_count + ${by} where id = ${id}`);
}

/** Adds to the number of comments on lines that a pull request shows. */
export async function addToPullCount(tx: Tx, issueId: number, by: number): Promise<void> {
  if (by === 0) return;
  await query(
    tx,
    fragment`update pulls set review_comments = review_comments + ${by} where issue_id = ${issueId}`,
  );
}

/** Lets no earlier review of these accounts count for the protection of the base. */
export async function clearOfficial(tx: Tx, issueId: number, accountIds: readonly number[]): Promise<void> {
  if (accountIds.length === 0) return;
  await query(
    tx,
    fragment`update pull_reviews set is_official = 0 where issue_id = ${issueId}
      and account_id in (${values(accountIds)}) and is_official = 1 and state <> 'requested'`,
  );
}

/** Lets the last approval or rejection of each account count again. */
export async function restoreOfficial(tx: Tx, issueId: number, accountIds: readonly number[]): Promise<void> {
  if (accountIds.length === 0) return;
  await query(
    tx,
    fragment`update pull_reviews set is_official = 1 where id in (select max(v.id) from pull_reviews v
      where v.issue_id = ${issueId} and v.account_id in (${values(accountIds)})
        and v.state in ('approved', 'rejected') group by v.account_id)`,
  );
}

/** Dismisses reviews, or lets them count again. @returns the ids of those that this changes */
export async function setDismissed(
  tx: Tx,
  ids: readonly number[],
  { isDismissed, at }: { readonly isDismissed: boolean; readonly at: number },
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const changed = await query<{ id: number }>(
    tx,
    fragment`update pull_reviews set is_dismissed = ${flag(isDismissed)}, updated_at = ${at}
      where id in (${values(ids)}) and is_dismissed <> ${flag(isDismissed)} returning id`,
  );
  return new Set(changed.map(({ id }) => id));
}

/** Dismisses the approvals of pull requests. @returns the ids of those that this changes, by the id of the issue */
export async function dismissApprovals(
  tx: Tx,
  issueIds: readonly number[],
  at: number,
): Promise<(issueId: number) => readonly number[]> {
  const rows = await query<{ id: number; issue_id: number }>(
    tx,
    fragment`update pull_reviews set is_dismissed = 1, updated_at = ${at} where issue_id in (${values(issueIds)})
      and state = 'approved' and is_dismissed = 0 returning id, issue_id`,
  );
  const byIssue = Map.groupBy(rows, ({ issue_id: issueId }) => issueId);
  return (issueId) => (byIssue.get(issueId) ?? []).map(({ id }) => id).toSorted((one, other) => one - other);
}

/** Lists the ids of the reviews of an account that can be dismissed, except for one. */
export async function listDismissible(
  tx: Tx,
  { issueId, accountId, except }: { issueId: number; accountId: number | null; except: number },
): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(
    tx,
    fragment`select v.id from pull_reviews v where v.issue_id = ${issueId} and v.account_id = ${accountId ?? NO_ID}
      and v.state in ('approved', 'rejected') and v.is_dismissed = 0 and v.id <> ${except} order by v.id`,
  );
  return rows.map(({ id }) => id);
}

/** A review, as far as a new head changes it. */
export type ReviewOfHead = Pick<
  ReviewRow,
  'id' | 'state' | 'commit' | 'isStale' | 'isDismissed' | 'commentsCount'
>;

/** Lists all reviews of a pull request, except for requests. */
export async function listReviewsOfHead(tx: Tx, issueId: number): Promise<readonly ReviewOfHead[]> {
  const rows = await query<
    Pick<Row, 'id' | 'state' | 'commit_sha' | 'is_stale' | 'is_dismissed' | 'comments_count'>
  >(
    tx,
    fragment`select v.id, v.state, v.commit_sha, v.is_stale, v.is_dismissed, v.comments_count from pull_reviews v
      where v.issue_id = ${issueId} and v.state <> 'requested' order by v.id`,
  );
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    commit: row.commit_sha,
    isStale: row.is_stale === 1,
    isDismissed: row.is_dismissed === 1,
    commentsCount: row.comments_count,
  }));
}

/** Makes the reviews of all commits but the head stale. */
export async function markStale(tx: Tx, issueId: number, head: string): Promise<void> {
  await query(
    tx,
    fragment`update pull_reviews set is_stale = case when commit_sha = ${head} then 0 else 1 end
      where issue_id = ${issueId} and state <> 'requested'`,
  );
}

/** Deletes a review with its comments. */
export async function deleteReview(tx: Tx, id: number): Promise<void> {
  await query(tx, fragment`delete from pull_reviews where id = ${id}`);
}

/** Deletes the pending reviews of an account, and the requests for reviews of it. */
export async function deleteUnsubmitted(tx: Tx, accountId: number): Promise<void> {
  await query(
    tx,
    fragment`delete from pull_reviews where account_id = ${accountId} and state in ('pending', 'requested')`,
  );
}
