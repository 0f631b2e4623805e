import type { Tx } from '../../../../base/database/database.ts';
import { type Fragment, fragment, literal, usingIndex } from '../../../../base/database/fragment.ts';
import { pauseInTransaction } from '../../../../base/database/pause.ts';
import { query } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import type { ReviewEntry } from '../../models/staging.ts';
import { AUTHOR } from '../columns.ts';

/** A staged comment, or a review, which has a row in `pull_reviews` already. */
interface StagedEntry {
  readonly at: number;
  /** Of the same time, comments come first. */
  readonly is_review: number;
  readonly key: number;
  /** in `pull_reviews`; null: a comment */
  readonly review_id: number | null;
}

const COMMENTS_BY_TIME = fragment`staged_comments s ${usingIndex('staged_comments_time')}
  cross join issues i`;
const REVIEWS_BY_TIME = fragment`staged_reviews s ${usingIndex('staged_reviews_time')}
  cross join pull_reviews r`;
const IS_OF_ISSUE = fragment`i.repository_id = s.repository_id and i.number = s.number`;

/**
 * Turns staged comments and reviews into entries of timelines, in the order of their times.
 *
 * @param onReviews receives the entries of reviews, some at a time
 */
export async function publishEntries(
  tx: Tx,
  repositoryId: RepositoryId,
  onReviews: (tx: Tx, entries: readonly ReviewEntry[]) => Promise<void>,
): Promise<void> {
  for (let from: StagedEntry | undefined; ; ) {
    const entries = await listNext(tx, repositoryId, from);
    const to = entries.at(-1);
    if (to === undefined) return;
    const ids = await insertBetween(tx, repositoryId, from, to);
    if (ids.length !== entries.length) throw new Error('other entries were inserted than listed');
    const ofReviews = entries.flatMap(({ review_id: reviewId }, index) =>
      reviewId === null ? [] : [{ reviewId, entryId: ids[index] ?? 0 }],
    );
    if (ofReviews.length > 0) await onReviews(tx, ofReviews);
    await pauseInTransaction(tx);
    from = to;
  }
}

function listNext(
  tx: Tx,
  repositoryId: RepositoryId,
  from: StagedEntry | undefined,
): Promise<readonly StagedEntry[]> {
  const limit = literal(ISSUE_LIMITS.importedRowsAtOnce);
  return query<StagedEntry>(
    tx,
    fragment`select * from (
        select * from (select s.created_at as at, 0 as is_review, s.comment_key as key,
            cast(null as bigint) as review_id from ${COMMENTS_BY_TIME}
          where s.repository_id = ${repositoryId} and ${isAfter(from, 0)} and ${IS_OF_ISSUE}
          order by s.created_at, s.comment_key limit ${limit}) comments
        union all
        select * from (select s.created_at as at, 1 as is_review, s.review_key as key, r.id as review_id
          from ${REVIEWS_BY_TIME}
          where s.repository_id = ${repositoryId} and ${isAfter(from, 1)} and r.id = s.id_here
          order by s.created_at, s.review_key limit ${limit}) reviews
      ) entries order by at, is_review, key limit ${limit}`,
  );
}

/** @returns the ids of the entries, in their order */
async function insertBetween(
  tx: Tx,
  repositoryId: RepositoryId,
  from: StagedEntry | undefined,
  to: StagedEntry,
): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(
    tx,
    fragment`insert into issue_entries (issue_id, repository_id, author_id, original_author, original_author_id, kind,
        body, details, created_at, updated_at)
      select issue_id, repository_id, author_id, original_author, original_author_id, kind, body, details, created_at,
        updated_at from (
          select i.id as issue_id, s.repository_id, ${AUTHOR}, 'comment' as kind, s.body, '{}' as details,
            s.created_at, s.updated_at, 0 as is_review, s.comment_key as key from ${COMMENTS_BY_TIME}
          where s.repository_id = ${repositoryId} and ${isAfter(from, 0)} and ${isUpTo(to, 0)} and ${IS_OF_ISSUE}
          union all
          select r.issue_id, r.repository_id, r.account_id, r.original_author, r.original_author_id, 'review', r.body,
            '{"reviewId":' || r.id || ',"state":"' || r.state || '"}', r.created_at, r.updated_at, 1, s.review_key
          from ${REVIEWS_BY_TIME}
          where s.repository_id = ${repositoryId} and ${isAfter(from, 1)} and ${isUpTo(to, 1)} and r.id = s.id_here
        ) entries order by created_at, is_review, key returning id`,
  );
  return rows.map(({ id }) => id).toSorted((one, other) => one - other);
}

const KEYS = [fragment`(s.created_at, s.comment_key)`, fragment`(s.created_at, s.review_key)`] as const;
const KEY_MAX = Number.MAX_SAFE_INTEGER;

function isAfter(entry: StagedEntry | undefined, isReview: 0 | 1): Fragment {
  if (entry === undefined) return fragment`1 = 1`;
  const key = entry.is_review === isReview ? entry.key : isReview === 0 ? KEY_MAX : 0;
  return fragment`${KEYS[isReview]} > (${entry.at}, ${key})`;
}

function isUpTo(entry: StagedEntry, isReview: 0 | 1): Fragment {
  const key = entry.is_review === isReview ? entry.key : isReview === 0 ? KEY_MAX : 0;
  return fragment`${KEYS[isReview]} <= (${entry.at}, ${key})`;
}
