import type { Tx } from '../../../../base/database/database.ts';
import { type Fragment, flag, fragment, joined } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';
import type { Oid } from '../../../../git/format/model.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import type { ReviewEntry } from '../../../issues/models/staging.ts';
import { AUTHOR, idsHere, isIn, type Range } from '../../../issues/staging/columns.ts';
import { PULLS, REQUESTS, REVIEW_COMMENTS, REVIEWS } from './tables.ts';

// Each function publishes the staged rows of a range. An account may have been deleted since the import began.

/** The head of a staged pull request. */
export interface StagedHead {
  readonly number: number;
  /** in the repository of the base, with a branch of its own */
  readonly isBranch: boolean;
  readonly branch: string;
  readonly sha: Oid;
}

export async function listStagedHeads(
  tx: Tx,
  repositoryId: RepositoryId,
  range: Range,
): Promise<readonly StagedHead[]> {
  const rows = await query<{ number: number; is_branch: number; head_branch: string; head_sha: string }>(
    tx,
    fragment`select s.number, case when s.is_own_head = 1 and s.flow = 'branch' then 1 else 0 end as is_branch,
        s.head_branch, s.head_sha
      from staged_pulls s where ${isIn(PULLS, repositoryId, range)} order by s.number`,
  );
  return rows.map((row) => ({
    number: row.number,
    isBranch: row.is_branch === 1,
    branch: row.head_branch,
    sha: row.head_sha,
  }));
}

/** What the refs of the copy say about the head of a pull request. */
export interface PublishedHead {
  readonly number: number;
  readonly sha: Oid;
  readonly hasBranch: boolean;
}

/** @param heads of all pull requests of the range; not empty */
export async function publishPulls(
  tx: Tx,
  repositoryId: RepositoryId,
  range: Range,
  heads: readonly PublishedHead[],
): Promise<void> {
  await query(
    tx,
    fragment`insert into pulls (issue_id, repository_id, number, is_open, flow, base_branch, head_repository_id,
        head_branch, has_head_branch, head_sha, allows_maintainer_edit, merge_base, additions, deletions,
        changed_files, review_comments, merged_at, merged_by, merged_sha)
      select i.id, i.repository_id, i.number, 1 - i.is_closed, s.flow, s.base_branch,
        case when s.is_own_head = 1 then s.repository_id end, s.head_branch, h.has_branch, h.sha,
        s.allows_maintainer_edit, s.merge_base, s.additions, s.deletions, s.changed_files,
        (select count(*) from staged_reviews v join staged_review_comments c
          on c.repository_id = v.repository_id and c.review_key = v.review_key
          where v.repository_id = s.repository_id and v.number = s.number),
        case when i.is_closed = 1 then s.merged_at end,
        case when i.is_closed = 1 then (select a.id from accounts a where a.id = s.merged_by) end,
        case when i.is_closed = 1 then s.merged_sha end
      from staged_pulls s
      join issues i on i.repository_id = s.repository_id and i.number = s.number and i.is_pull = 1
      join ${headRows(heads)} h on h.number = s.number
      where ${isIn(PULLS, repositoryId, range)} order by s.number`,
  );
}

function headRows(heads: readonly PublishedHead[]): Fragment {
  const rows = heads.map(
    ({ number, sha, hasBranch }) =>
      fragment`(cast(${number} as bigint), cast(${flag(hasBranch)} as bigint), cast(${sha} as text))`,
  );
  return fragment`(select column1 as number, column2 as has_branch, column3 as sha
    from (values ${joined(rows, ', ')}) facts)`;
}

/** Requests reviews of open pull requests. */
export async function publishRequests(tx: Tx, repositoryId: RepositoryId, range: Range): Promise<void> {
  await query(
    tx,
    fragment`insert into pull_reviews (issue_id, repository_id, account_id, state, is_official, created_at, updated_at)
      select p.issue_id, p.repository_id, a.id, 'requested', s.is_official, s.created_at, s.created_at
      from staged_review_requests s
      join pulls p on p.repository_id = s.repository_id and p.number = s.number and p.is_open = 1
      join accounts a on a.id = s.account_id
      where ${isIn(REQUESTS, repositoryId, range)} order by s.number, s.created_at, s.account_id`,
  );
}

/** Publishes reviews, and stores their ids here in the staged rows. */
export async function publishReviews(tx: Tx, repositoryId: RepositoryId, range: Range): Promise<void> {
  const from = fragment`from staged_reviews s
    join pulls p on p.repository_id = s.repository_id and p.number = s.number
    where ${isIn(REVIEWS, repositoryId, range)} order by s.review_key`;
  const keys = await query<{ review_key: number }>(tx, fragment`select s.review_key ${from}`);
  if (keys.length === 0) return;
  const rows = await query<{ id: number }>(
    tx,
    fragment`insert into pull_reviews (issue_id, repository_id, account_id, original_author, original_author_id, state,
        body, commit_sha, is_official, is_stale, is_dismissed, comments_count, created_at, updated_at)
      select p.issue_id, p.repository_id, ${AUTHOR}, s.state, s.body, s.commit_sha, s.is_official, s.is_stale,
        s.is_dismissed, (select count(*) from staged_review_comments c
          where c.repository_id = s.repository_id and c.review_key = s.review_key), s.created_at, s.updated_at
      ${from} returning id`,
  );
  const ids = rows.map(({ id }) => id).toSorted((one, other) => one - other);
  if (ids.length !== keys.length) throw new Error('other reviews were inserted than listed');
  const here = new Map(keys.map(({ review_key: key }, index) => [key, ids[index] ?? 0]));
  await query(
    tx,
    fragment`update staged_reviews set id_here = k.id_here from ${idsHere(here)} k
      where staged_reviews.repository_id = ${repositoryId} and staged_reviews.review_key = k.key`,
  );
}

/** Publishes comments of published reviews. */
export async function publishReviewComments(tx: Tx, repositoryId: RepositoryId, range: Range): Promise<void> {
  await query(
    tx,
    fragment`insert into pull_review_comments (review_id, issue_id, account_id, resolver_id, path, is_old_side, line,
        current_line, extra_lines, original_sha, commit_sha, hunk, body, created_at, updated_at)
      select r.id, r.issue_id, (select a.id from accounts a where a.id = s.author_id),
        (select a.id from accounts a where a.id = s.resolver_id), s.path, s.is_old_side, s.line, s.current_line,
        s.extra_lines, s.original_sha, s.commit_sha, s.hunk, s.body, s.created_at, s.updated_at
      from staged_review_comments s
      join staged_reviews v on v.repository_id = s.repository_id and v.review_key = s.review_key
      join pull_reviews r on r.id = v.id_here
      where ${isIn(REVIEW_COMMENTS, repositoryId, range)} order by s.comment_key`,
  );
}

/** Records where reviews are in the timeline. */
export async function setReviewEntries(tx: Tx, entries: readonly ReviewEntry[]): Promise<void> {
  const ids = new Map(entries.map(({ reviewId, entryId }) => [reviewId, entryId]));
  await query(
    tx,
    fragment`update pull_reviews set entry_id = e.id_here from ${idsHere(ids)} e where pull_reviews.id = e.key`,
  );
}
