import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, raw, values } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { USER_COLUMNS, type UserColumns, userOfColumns } from '../../../people/accounts/columns.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';
import type { IssueState } from '../model.ts';

/** A row with `issueColumns`. */
export type IssueRow = {
  issue_id: number;
  repository_id: number;
  number: number;
  author_id: number | null;
  original_author: string;
  original_author_id: number;
  title: string;
  body: string;
  ref: string;
  milestone_id: number | null;
  is_pull: number;
  is_closed: number;
  closed_at: number | null;
  is_locked: number;
  due_at: number | null;
  pin_order: number;
  comments_count: number;
  issue_created_at: number;
  issue_updated_at: number;
  shows_author: number;
} & Partial<UserColumns>;

const OF_ISSUE = raw(
  [
    'i.id as issue_id, i.repository_id, i.number, i.author_id, i.title, i.body, i.ref, i.milestone_id, i.is_pull',
    'i.is_closed, i.closed_at, i.is_locked, i.due_at, i.pin_order, i.comments_count',
    'i.created_at as issue_created_at, i.updated_at as issue_updated_at, i.original_author, i.original_author_id',
  ].join(', '),
);

/** Columns for `issueOfRow`. Expects `issues i` and `AUTHOR_JOIN`. */
export function issueColumns(viewer: Viewer): Fragment {
  return fragment`${OF_ISSUE}, ${accountVisible(viewer)} as shows_author, ${USER_COLUMNS}`;
}

export const AUTHOR_JOIN = raw('left join accounts o on o.id = i.author_id');

/** An issue and its author, without the fields from other tables. */
export interface AuthoredIssue {
  readonly state: IssueState;
  readonly author: ShownAccount | null;
}

export function issueOfRow(row: IssueRow): AuthoredIssue {
  return {
    state: {
      id: row.issue_id,
      repositoryId: row.repository_id,
      number: row.number,
      authorId: row.author_id,
      originalAuthor: { id: row.original_author_id, name: row.original_author },
      title: row.title,
      body: row.body,
      ref: row.ref,
      milestoneId: row.milestone_id,
      isPull: row.is_pull === 1,
      isClosed: row.is_closed === 1,
      closedAt: row.closed_at,
      isLocked: row.is_locked === 1,
      dueAt: row.due_at,
      pinOrder: row.pin_order,
      commentsCount: row.comments_count,
      createdAt: row.issue_created_at,
      updatedAt: row.issue_updated_at,
    },
    author: authorOf(row),
  };
}

/** Returns the author that a row shows: null if the account was deleted or is hidden from the viewer. */
export function authorOf(row: Partial<UserColumns> & { readonly shows_author: number }): ShownAccount | null {
  return hasAuthor(row) && row.shows_author === 1 ? userOfColumns(row) : null;
}

function hasAuthor(row: Partial<UserColumns>): row is UserColumns {
  return typeof row.owner_id === 'number';
}

export async function findIssue(
  db: Db,
  viewer: Viewer,
  repositoryId: RepositoryId,
  number: number,
): Promise<AuthoredIssue | undefined> {
  const row = await queryFirst<IssueRow>(
    db,
    fragment`select ${issueColumns(viewer)} from issues i ${AUTHOR_JOIN}
      where i.repository_id = ${repositoryId} and i.number = ${number}`,
  );
  return row && issueOfRow(row);
}

/** Finds issues by their ids, in the order of the ids, without checking who may read them. */
export async function findIssuesByIds(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<readonly AuthoredIssue[]> {
  if (ids.length === 0) return [];
  const rows = await query<IssueRow>(
    db,
    fragment`select ${issueColumns(viewer)} from issues i ${AUTHOR_JOIN} where i.id in (${values(ids)})`,
  );
  const byId = new Map(rows.map((row) => [row.issue_id, issueOfRow(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Finds when pull requests were merged, by their ids, in ms; null for those that are not merged. */
export async function findMergeTimes(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number | null>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ issue_id: number; merged_at: number | null }>(
    db,
    fragment`select issue_id, merged_at from pulls where issue_id in (${values(ids)})`,
  );
  return new Map(rows.map(({ issue_id, merged_at }) => [issue_id, merged_at]));
}

export async function insertIssue(
  tx: Tx,
  issue: {
    readonly repositoryId: RepositoryId;
    readonly number: number;
    readonly authorId: number;
    readonly title: string;
    readonly body: string;
    readonly ref: string;
    readonly milestoneId: number | null;
    readonly dueAt: number | null;
    readonly isPull: boolean;
    readonly isClosed: boolean;
    readonly at: number;
  },
): Promise<number> {
  const { id } = await tx
    .insertInto('issues')
    .values({
      repository_id: issue.repositoryId,
      number: issue.number,
      author_id: issue.authorId,
      title: issue.title,
      body: issue.body,
      ref: issue.ref,
      milestone_id: issue.milestoneId,
      is_pull: flag(issue.isPull),
      is_closed: flag(issue.isClosed),
      closed_at: issue.isClosed ? issue.at : null,
      due_at: issue.dueAt,
      created_at: issue.at,
      updated_at: issue.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Writes the columns that a change of an issue can set. */
export async function setIssue(tx: Tx, issue: IssueState): Promise<void> {
  await tx
    .updateTable('issues')
    .set({
      title: issue.title,
      body: issue.body,
      ref: issue.ref,
      milestone_id: issue.milestoneId,
      is_closed: flag(issue.isClosed),
      closed_at: issue.closedAt,
      is_locked: flag(issue.isLocked),
      due_at: issue.dueAt,
      pin_order: issue.pinOrder,
      comments_count: issue.commentsCount,
      updated_at: issue.updatedAt,
    })
    .where('id', '=', issue.id)
    .execute();
}

export async function deleteIssue(tx: Tx, id: number): Promise<void> {
  await query(tx, fragment`delete from issues where id = ${id}`);
}
