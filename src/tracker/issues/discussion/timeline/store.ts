import type { Viewer } from '../../../../api/access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../../../../base/core/paging.ts';
import { type Db, dialectOf } from '../../../../base/database/database.ts';
import { type Fragment, flag, fragment, joined, raw, values } from '../../../../base/database/fragment.ts';
import { listed, query, queryCount } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import type { CommentRange } from '../../models/comments.ts';
import type { EntryDetails } from '../../models/entries.ts';
import {
  type CommentEntry,
  changedIn,
  ENTRY_AUTHOR_JOIN,
  type EntryRow,
  entryColumns,
  entryOfRow,
} from '../../store/comments.ts';

export interface DetailedEntry extends CommentEntry {
  readonly details: EntryDetails;
}

interface EntrySelection extends CommentRange {
  readonly issueId: number;
  /** entries about these issues are left out */
  readonly hidden: readonly OtherIssues[];
}

/** The issues of a repository, or its pull requests. */
export interface OtherIssues {
  readonly repositoryId: RepositoryId;
  readonly isPull: boolean;
}

/** Lists the entries of an issue in their order. */
export async function listEntries(
  db: Db,
  viewer: Viewer,
  selection: EntrySelection,
  paging: Paging,
): Promise<Page<DetailedEntry>> {
  const where = conditionOf(db, selection);
  const rows = await query<EntryRow & { details: string }>(
    db,
    fragment`select ${entryColumns(viewer)}, e.details from issue_entries e ${ENTRY_AUTHOR_JOIN}
      where ${where} order by e.id limit ${paging.limit} offset ${offsetOf(paging)}`,
  );
  const items = rows.map((row) => ({ ...entryOfRow(row), details: JSON.parse(row.details) as EntryDetails }));
  return { items, total: await queryCount(db, fragment`issue_entries e where ${where}`) };
}

/** Counts the entries that are listed before one of them. */
export function countEntriesBefore(db: Db, selection: EntrySelection, entryId: number): Promise<number> {
  return queryCount(db, fragment`issue_entries e where ${conditionOf(db, selection)} and e.id < ${entryId}`);
}

function conditionOf(db: Db, selection: EntrySelection): Fragment {
  const { issueId, hidden } = selection;
  const parts = [false, true].flatMap((isPull) => {
    const ids = hidden.filter((each) => each.isPull === isPull).map(({ repositoryId }) => repositoryId);
    if (ids.length === 0) return [];
    return [fragment`other.is_pull = ${flag(isPull)} and other.repository_id in (${listed(db, 'id', ids)})`];
  });
  const isShown =
    parts.length === 0
      ? raw('')
      : fragment` and not (${IS_ABOUT_ISSUE} and exists (select 1 from issues other
          where other.id = ${otherIssueId(db)} and (${joined(parts, ' or ')})))`;
  return fragment`e.issue_id = ${issueId}${changedIn(selection)}${isShown}`;
}

/** Lists the repositories, and the kinds, of the issues that entries of an issue are about. */
export async function listOthers(db: Db, { id }: { readonly id: number }): Promise<readonly OtherIssues[]> {
  const rows = await query<{ repository_id: number; is_pull: number }>(
    db,
    fragment`select distinct other.repository_id, other.is_pull from issue_entries e
      join issues other on other.id = ${otherIssueId(db)}
      where e.issue_id = ${id} and ${IS_ABOUT_ISSUE}`,
  );
  return rows.map(({ repository_id, is_pull }) => ({ repositoryId: repository_id, isPull: is_pull === 1 }));
}

const IS_ABOUT_ISSUE = raw(
  `e.kind in ('issue_ref', 'pull_ref', 'comment_ref', 'add_dependency', 'remove_dependency')`,
);

/**
 * The other issue of an entry. Both databases read a member of JSON with `->>`, but PostgreSQL only from a JSON type.
 */
function otherIssueId(db: Db): Fragment {
  return dialectOf(db) === 'postgres'
    ? raw(`cast(cast(e.details as json) ->> 'otherIssueId' as bigint)`)
    : raw(`e.details ->> 'otherIssueId'`);
}

/** Finds comments and reviews by their ids, in any repository. */
export async function findComments(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<readonly CommentEntry[]> {
  if (ids.length === 0) return [];
  const rows = await query<EntryRow>(
    db,
    fragment`select ${entryColumns(viewer)} from issue_entries e ${ENTRY_AUTHOR_JOIN}
      where e.id in (${values(ids)}) and e.kind in ('comment', 'review')`,
  );
  return rows.map(entryOfRow);
}
