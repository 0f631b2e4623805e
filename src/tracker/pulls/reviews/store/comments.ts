import type { Selectable } from 'kysely';
import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Db, Tx } from '../../../../base/database/database.ts';
import { flag, fragment, raw, values } from '../../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../../base/database/query.ts';
import type { PullReviewCommentsTable } from '../../../../base/database/schema/pulls.ts';
import type { ReviewCommentRow } from '../model.ts';
import { isShownTo } from './reviews.ts';

type Row = Selectable<PullReviewCommentsTable>;

const COLUMNS = raw(
  [
    'c.id, c.review_id, c.issue_id, c.account_id, c.resolver_id, c.path, c.is_old_side, c.line, c.current_line',
    'c.extra_lines, c.original_sha, c.commit_sha, c.hunk, c.body, c.created_at, c.updated_at',
  ].join(', '),
);

function commentOfRow(row: Row): ReviewCommentRow {
  return {
    id: row.id,
    reviewId: row.review_id,
    issueId: row.issue_id,
    accountId: row.account_id,
    resolverId: row.resolver_id,
    path: row.path,
    side: row.is_old_side === 1 ? 'old' : 'new',
    line: row.line,
    currentLine: row.current_line,
    extraLines: row.extra_lines,
    original: row.original_sha,
    commit: row.commit_sha,
    hunk: row.hunk,
    body: row.body,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Lists the comments of a review, the oldest first. */
export async function listCommentsOf(db: Db, reviewId: number): Promise<readonly ReviewCommentRow[]> {
  const rows = await query<Row>(
    db,
    fragment`select ${COLUMNS} from pull_review_comments c where c.review_id = ${reviewId} order by c.id`,
  );
  return rows.map(commentOfRow);
}

/** Finds comments of a pull request by their ids, those of reviews that the viewer may see. */
export async function findComments(
  db: Db,
  viewer: Viewer,
  { ids, issueId }: { readonly ids: readonly number[]; readonly issueId: number },
): Promise<readonly ReviewCommentRow[]> {
  if (ids.length === 0) return [];
  const rows = await query<Row>(
    db,
    fragment`select ${COLUMNS} from pull_review_comments c join pull_reviews v on v.id = c.review_id
      where c.id in (${values(ids)}) and c.issue_id = ${issueId} and ${isShownTo(viewer)}
      order by c.id`,
  );
  return rows.map(commentOfRow);
}

/** Which comments of a pull request a list has: those of some reviews, or those of some files. */
export type CommentSelection =
  | { readonly reviewIds: readonly number[] }
  | { readonly paths: readonly string[] };

/** Lists comments of a pull request that the viewer may see, the oldest first. */
export async function listSelectedComments(
  db: Db,
  viewer: Viewer,
  issueId: number,
  { selection, countMax }: { readonly selection: CommentSelection; readonly countMax: number },
): Promise<readonly ReviewCommentRow[]> {
  const isOfReviews = 'reviewIds' in selection;
  if ((isOfReviews ? selection.reviewIds : selection.paths).length === 0) return [];
  const chosen = isOfReviews
    ? fragment`c.review_id in (${values(selection.reviewIds)})`
    : fragment`c.path in (${values(selection.paths)})`;
  const rows = await query<Row>(
    db,
    fragment`select ${COLUMNS} from pull_review_comments c join pull_reviews v on v.id = c.review_id
      where c.issue_id = ${issueId} and ${chosen} and ${isShownTo(viewer)} order by c.id limit ${countMax}`,
  );
  return rows.map(commentOfRow);
}

/** Finds the number of the pull request that has a comment. */
export async function findNumberOf(
  db: Db,
  { id, repositoryId }: { readonly id: number; readonly repositoryId: number },
): Promise<number | undefined> {
  const row = await queryFirst<{ number: number }>(
    db,
    fragment`select p.number from pull_review_comments c join pulls p on p.issue_id = c.issue_id
      where c.id = ${id} and p.repository_id = ${repositoryId}`,
  );
  return row?.number;
}

export async function countCommentsOf(db: Db, issueId: number): Promise<number> {
  const row = await queryFirst<{ total: number }>(
    db,
    fragment`select count(*) as total from pull_review_comments c where c.issue_id = ${issueId}`,
  );
  return row?.total ?? 0;
}

type NewRow = Omit<ReviewCommentRow, 'id' | 'resolverId' | 'accountId' | 'createdAt' | 'updatedAt'> & {
  readonly accountId: number;
  readonly at: number;
};

/** @returns their ids, in this order */
export async function insertComments(tx: Tx, comments: readonly NewRow[]): Promise<readonly number[]> {
  if (comments.length === 0) return [];
  const rows = await tx
    .insertInto('pull_review_comments')
    .values(
      comments.map((comment) => ({
        review_id: comment.reviewId,
        issue_id: comment.issueId,
        account_id: comment.accountId,
        resolver_id: null,
        path: comment.path,
        is_old_side: flag(comment.side === 'old'),
        line: comment.line,
        current_line: comment.currentLine,
        extra_lines: comment.extraLines,
        original_sha: comment.original,
        commit_sha: comment.commit,
        hunk: comment.hunk,
        body: comment.body,
        created_at: comment.at,
        updated_at: comment.at,
      })),
    )
    .returning('id')
    .execute();
  return rows.map(({ id }) => id).toSorted((one, other) => one - other);
}

export async function deleteComment(tx: Tx, id: number): Promise<void> {
  await query(tx, fragment`delete from pull_review_comments where id = ${id}`);
}

/** @param resolverId null: not resolved */
export async function setResolver(tx: Tx, ids: readonly number[], resolverId: number | null): Promise<void> {
  if (ids.length === 0) return;
  await query(
    tx,
    fragment`update pull_review_comments set resolver_id = ${resolverId} where id in (${values(ids)})`,
  );
}

/** A comment, as far as its place in the differences changes. */
export type PlaceOfComment = Pick<
  ReviewCommentRow,
  'id' | 'path' | 'side' | 'currentLine' | 'extraLines' | 'commit'
>;

/** Lists the comments of a pull request that belong to another head than this one. */
export async function listCommentsElsewhere(
  db: Db,
  issueId: number,
  head: string,
): Promise<readonly PlaceOfComment[]> {
  const rows = await query<
    Pick<Row, 'id' | 'path' | 'is_old_side' | 'current_line' | 'extra_lines' | 'commit_sha'>
  >(
    db,
    fragment`select c.id, c.path, c.is_old_side, c.current_line, c.extra_lines, c.commit_sha
      from pull_review_comments c where c.issue_id = ${issueId} and c.commit_sha <> ${head} order by c.id`,
  );
  return rows.map((row) => ({
    id: row.id,
    path: row.path,
    side: row.is_old_side === 1 ? 'old' : 'new',
    currentLine: row.current_line,
    extraLines: row.extra_lines,
    commit: row.commit_sha,
  }));
}

/** Moves comments with the same lines to another head, unless they have moved already. */
export async function moveComments(
  tx: Tx,
  { ids, from }: { readonly ids: readonly number[]; readonly from: string },
  to: { readonly commit: string; readonly path: string; readonly currentLine: number },
): Promise<void> {
  await query(
    tx,
    fragment`update pull_review_comments set commit_sha = ${to.commit}, path = ${to.path},
        current_line = ${to.currentLine}
      where id in (${values(ids)}) and commit_sha = ${from}`,
  );
}
