import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, raw, values } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { TrackerKinds } from '../../../hosting/repositories/tracker.ts';
import { USER_COLUMNS, type UserColumns } from '../../../people/accounts/columns.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { OriginalAuthor } from '../model.ts';
import type { CommentRange } from '../models/comments.ts';
import type { EntryKind } from '../models/entries.ts';
import { authorOf } from './issues.ts';

/** An entry of an issue that has a text, or whose kind matters. */
export interface CommentEntry {
  readonly id: number;
  readonly kind: EntryKind;
  /** of its issue */
  readonly number: number;
  readonly isPull: boolean;
  readonly authorId: number | null;
  readonly author: ShownAccount | null;
  readonly originalAuthor: OriginalAuthor;
  readonly body: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A row with `entryColumns`. */
export type EntryRow = {
  entry_id: number;
  kind: EntryKind;
  number: number;
  is_pull: number;
  author_id: number | null;
  original_author: string;
  original_author_id: number;
  body: string;
  entry_created_at: number;
  entry_updated_at: number;
  shows_author: number;
} & Partial<UserColumns>;

const OF_ENTRY = raw(
  [
    'e.id as entry_id, e.kind, e.author_id, e.original_author, e.original_author_id, e.body',
    'e.created_at as entry_created_at, e.updated_at as entry_updated_at',
    '(select i.number from issues i where i.id = e.issue_id) as number',
    '(select i.is_pull from issues i where i.id = e.issue_id) as is_pull',
  ].join(', '),
);
export const ENTRY_AUTHOR_JOIN = raw('left join accounts o on o.id = e.author_id');

/** Columns for `entryOfRow`. Expects `issue_entries e` and `ENTRY_AUTHOR_JOIN`. */
export function entryColumns(viewer: Viewer): Fragment {
  return fragment`${OF_ENTRY}, ${accountVisible(viewer)} as shows_author, ${USER_COLUMNS}`;
}

export function entryOfRow(row: EntryRow): CommentEntry {
  return {
    id: row.entry_id,
    kind: row.kind,
    number: row.number,
    isPull: row.is_pull === 1,
    authorId: row.author_id,
    author: authorOf(row),
    originalAuthor: { id: row.original_author_id, name: row.original_author },
    body: row.body,
    createdAt: row.entry_created_at,
    updatedAt: row.entry_updated_at,
  };
}

/** The issue whose comments are listed, or the repository; of the repository, all issues or those of one kind. */
type CommentsOf =
  | { readonly issueId: number }
  | { readonly repositoryId: RepositoryId; readonly kinds: TrackerKinds };

/** Lists comments from the oldest to the newest. */
export async function listComments(
  db: Db,
  viewer: Viewer,
  { of, ...range }: CommentRange & { readonly of: CommentsOf },
  paging: Paging,
): Promise<Page<CommentEntry>> {
  const where = fragment`${isCommentOf(of)}${changedIn(range)}`;
  const total = await countComments(db, of, range);
  const offset = offsetOf(paging);
  const count = Math.min(paging.limit, total - offset);
  if (count <= 0) return { items: [], total };
  // A page of the second half is found from the end. Only its comments are read.
  const fromEnd = total - offset - count;
  // The `+` keeps the databases from walking the index of ids, because the few comments of a range of time may be at
  // its end.
  const id = raw(total <= ISSUE_LIMITS.commentsSortedMax && !isWhole(range) ? '+e.id' : 'e.id');
  const page =
    fromEnd < offset
      ? fragment`order by ${id} desc limit ${count} offset ${fromEnd}`
      : fragment`order by ${id} limit ${count} offset ${offset}`;
  const rows = await query<EntryRow>(
    db,
    fragment`select ${entryColumns(viewer)} from issue_entries e ${ENTRY_AUTHOR_JOIN}
      where e.id in (select id from (select e.id from issue_entries e where ${where} ${page}) page) order by e.id`,
  );
  return { items: rows.map(entryOfRow), total };
}

/** Conditions on `issue_entries e`. */
function isCommentOf(of: CommentsOf): Fragment {
  if ('issueId' in of) return fragment`e.issue_id = ${of.issueId} and e.kind = 'comment'`;
  const isOfRepository = fragment`e.repository_id = ${of.repositoryId} and e.kind = 'comment'`;
  if (of.kinds === 'all') return isOfRepository;
  return fragment`${isOfRepository} and exists (select 1 from issues i
    where i.id = e.issue_id and i.is_pull = ${flag(of.kinds === 'pulls')})`;
}

function isWhole({ since, before }: CommentRange): boolean {
  return since === undefined && before === undefined;
}

async function countComments(db: Db, of: CommentsOf, range: CommentRange): Promise<number> {
  if (isWhole(range)) return countOfRow(db, of);
  if ('repositoryId' in of && of.kinds === 'all') return countInTime(db, of.repositoryId, range);
  return queryCount(db, fragment`issue_entries e where ${isCommentOf(of)}${changedIn(range)}`);
}

/**
 * Counts the comments of a repository in a range of time. If fewer seem to be outside of it, counts those and
 * subtracts.
 */
async function countInTime(db: Db, repositoryId: RepositoryId, range: CommentRange): Promise<number> {
  const comments = fragment`issue_entries e where e.repository_id = ${repositoryId} and e.kind = 'comment'`;
  const span = await queryFirst<{ first: number | null; last: number | null }>(
    db,
    fragment`select (select min(e.updated_at) from ${comments}) as first,
      (select max(e.updated_at) from ${comments}) as last`,
  );
  const { first = null, last = null } = span ?? {};
  if (first === null || last === null) return 0;
  const { since = first, before = last } = range;
  if (Math.min(before, last) - Math.max(since, first) <= (last - first) / 2)
    return queryCount(db, fragment`${comments}${changedIn(range)}`);
  const row = await queryFirst<{ total: number }>(
    db,
    fragment`select (select comments_count from repositories where id = ${repositoryId})
      - (select count(*) from ${comments} and e.updated_at < ${since})
      - (select count(*) from ${comments} and e.updated_at > ${before}) as total`,
  );
  return row?.total ?? 0;
}

/**
 * Reads the number of all comments from the row of their issue or repository, because counting a million takes long. The
 * numbers of all issues of one kind are in an index.
 */
async function countOfRow(db: Db, of: CommentsOf): Promise<number> {
  const row = await queryFirst<{ comments_count: number }>(db, storedCount(of));
  return Number(row?.comments_count ?? 0);
}

function storedCount(of: CommentsOf): Fragment {
  if ('issueId' in of) return fragment`select comments_count from issues where id = ${of.issueId}`;
  if (of.kinds === 'all')
    return fragment`select comments_count from repositories where id = ${of.repositoryId}`;
  return fragment`select sum(comments_count) as comments_count from issues
    where repository_id = ${of.repositoryId} and is_pull = ${flag(of.kinds === 'pulls')} and is_closed in (0, 1)`;
}

/** Conditions that the last change of an entry is in a range of time, each with ` and ` before it. */
export function changedIn({ since, before }: CommentRange): Fragment {
  const from = since === undefined ? raw('') : fragment` and e.updated_at >= ${since}`;
  const to = before === undefined ? raw('') : fragment` and e.updated_at <= ${before}`;
  return fragment`${from}${to}`;
}

/** Finds entries of any kind by their ids. */
export async function findEntries(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<readonly CommentEntry[]> {
  if (ids.length === 0) return [];
  const rows = await query<EntryRow>(
    db,
    fragment`select ${entryColumns(viewer)} from issue_entries e ${ENTRY_AUTHOR_JOIN}
      where e.id in (${values(ids)})`,
  );
  return rows.map(entryOfRow);
}

/** Finds an entry of any kind. */
export async function findEntry(
  db: Db,
  viewer: Viewer,
  repositoryId: RepositoryId,
  id: number,
): Promise<CommentEntry | undefined> {
  const row = await queryFirst<EntryRow>(
    db,
    fragment`select ${entryColumns(viewer)} from issue_entries e ${ENTRY_AUTHOR_JOIN}
      where e.id = ${id} and e.repository_id = ${repositoryId}`,
  );
  return row && entryOfRow(row);
}

export async function setComment(tx: Tx, id: number, body: string, at: number): Promise<void> {
  await query(tx, fragment`update issue_entries set body = ${body}, updated_at = ${at} where id = ${id}`);
}

export async function deleteEntry(tx: Tx, id: number): Promise<void> {
  await query(tx, fragment`delete from issue_entries where id = ${id}`);
}
