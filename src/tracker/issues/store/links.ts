import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, raw, usingIndex, values } from '../../../base/database/fragment.ts';
import { listed, query } from '../../../base/database/query.ts';
import { USER_COLUMNS, type UserColumns, userOfColumns } from '../../../people/accounts/columns.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';
import type { IssueState } from '../model.ts';

/** What a link connects an issue with: a label, or an account that is assigned or mentioned. */
export type LinkKind = 'labels' | 'assignees' | 'mentions';

const NAMES = { labels: 'issue_labels', assignees: 'issue_assignees', mentions: 'issue_mentions' } as const;

const TABLES = { labels: raw(NAMES.labels), assignees: raw(NAMES.assignees), mentions: raw(NAMES.mentions) };

/** Columns of links that repeat columns of their issue; `LINK_VALUES` reads them from `issues i`. */
export const LINK_COLUMNS = raw('repository_id, is_pull, is_closed, updated_at, comments_count, due_at');
export const LINK_VALUES = raw(
  'i.repository_id, i.is_pull, i.is_closed, i.updated_at, i.comments_count, i.due_at',
);

export function linkTable(kind: LinkKind): Fragment {
  return TABLES[kind];
}

/** The index of the links of a label or an account in one repository. It has all columns by which lists are sorted. */
export function linksInRepository(kind: LinkKind): Fragment {
  return usingIndex(`${NAMES[kind]}_repository`);
}

/** The index of the links of a label or an account in all repositories. */
export function linksEverywhere(kind: LinkKind): Fragment {
  return usingIndex(`${NAMES[kind]}_subject`);
}

/** The index of the links of an issue, which is the primary key. */
export function linksOfIssue(kind: LinkKind): Fragment {
  return usingIndex(`sqlite_autoindex_${NAMES[kind]}_1`);
}

/** Lists the ids of the labels of issues, by issue. */
export async function listLabelIds(
  db: Db,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const rows = await query<{ issue_id: number; subject_id: number }>(
    db,
    fragment`select issue_id, subject_id from issue_labels where issue_id in (${values(issueIds)})`,
  );
  const byIssue = Map.groupBy(rows, ({ issue_id }) => issue_id);
  return new Map([...byIssue].map(([id, links]) => [id, links.map(({ subject_id }) => subject_id)]));
}

/** Lists the assignees of issues that the viewer may see, by issue and then by name. */
export async function listAssigneesOf(
  db: Db,
  viewer: Viewer,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ShownAccount[]>> {
  const rows = await query<UserColumns & { issue_id: number }>(
    db,
    fragment`select link.issue_id, ${USER_COLUMNS} from issue_assignees link
      join accounts o on o.id = link.subject_id
      where link.issue_id in (${values(issueIds)}) and ${accountVisible(viewer)} = 1 order by o.lower_name`,
  );
  const byIssue = Map.groupBy(rows, ({ issue_id }) => issue_id);
  return new Map([...byIssue].map(([id, links]) => [id, links.map(userOfColumns)]));
}

/** Lists the ids that an issue is linked with. */
export async function listLinks(db: Db, kind: LinkKind, issueId: number): Promise<readonly number[]> {
  const rows = await query<{ subject_id: number }>(
    db,
    fragment`select subject_id from ${TABLES[kind]} where issue_id = ${issueId} order by subject_id`,
  );
  return rows.map(({ subject_id }) => subject_id);
}

export async function insertLinks(
  tx: Tx,
  kind: LinkKind,
  issue: IssueState,
  subjectIds: readonly number[],
): Promise<void> {
  if (subjectIds.length === 0) return;
  await query(
    tx,
    fragment`insert into ${TABLES[kind]} (issue_id, subject_id, ${LINK_COLUMNS})
      select i.id, subject.id, ${LINK_VALUES}
      from issues i cross join (${listed(tx, 'id', subjectIds)}) subject where i.id = ${issue.id}
      on conflict (issue_id, subject_id) do nothing`,
  );
}

export async function deleteLinks(
  tx: Tx,
  kind: LinkKind,
  issueId: number,
  subjectIds: readonly number[],
): Promise<void> {
  if (subjectIds.length === 0) return;
  await query(
    tx,
    fragment`delete from ${TABLES[kind]} where issue_id = ${issueId} and subject_id in (${values(subjectIds)})`,
  );
}
