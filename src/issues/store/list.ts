import type { Viewer } from '../../access/viewer.ts';
import type { Page, Paging } from '../../core/paging.ts';
import type { Db } from '../../database/database.ts';
import { type Fragment, flag, fragment, joined, raw, values } from '../../database/fragment.ts';
import { queryPage } from '../../database/query.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { IssueFilter, IssueOrder } from '../model.ts';
import { AUTHOR_JOIN, type AuthoredIssue, type IssueRow, issueColumns, issueOfRow } from './issues.ts';
import { type LinkKind, tableOf } from './links.ts';

/** An `IssueFilter` with ids instead of names. */
export interface IssueSelection extends Pick<IssueFilter, 'state' | 'type' | 'since' | 'before' | 'order'> {
  readonly repositoryId: RepositoryId;
  /** An issue has one label of each of these sets. */
  readonly labels: readonly (readonly number[])[];
  /** An issue belongs to one of these; null: to any, or to none */
  readonly milestones: readonly number[] | null;
  readonly authorId?: number | undefined;
  readonly assigneeId?: number | undefined;
  readonly mentionedId?: number | undefined;
}

const ORDERS: Readonly<Record<IssueOrder, Fragment>> = {
  newest: raw('i.number desc'),
  oldest: raw('i.number'),
  'recently-updated': raw('i.updated_at desc, i.number desc'),
  'least-recently-updated': raw('i.updated_at, i.number'),
  'most-comments': raw('i.comments_count desc, i.number desc'),
  'fewest-comments': raw('i.comments_count, i.number'),
  // Issues without a due date come last in both.
  'due-first': raw('case when i.due_at is null then 1 else 0 end, i.due_at, i.number'),
  'due-last': raw('case when i.due_at is null then 1 else 0 end, i.due_at desc, i.number desc'),
};

/** Lists issues of a repository. Matches none if a set of labels or the list of milestones is empty. */
export function listIssues(
  db: Db,
  viewer: Viewer,
  selection: IssueSelection,
  paging: Paging,
): Promise<Page<AuthoredIssue>> {
  const { from, where } = conditionsOf(selection);
  const list = {
    select: issueColumns(viewer),
    from: fragment`${from} ${AUTHOR_JOIN} where ${where}`,
    orderBy: ORDERS[selection.order],
  };
  return queryPage(db, list, paging, (row: IssueRow) => issueOfRow(row));
}

function conditionsOf(selection: IssueSelection): { from: Fragment; where: Fragment } {
  const { repositoryId, type, state, milestones, authorId, since, before } = selection;
  const conditions: Fragment[] = [fragment`i.repository_id = ${repositoryId}`];
  if (type !== 'all') conditions.push(fragment`i.is_pull = ${flag(type === 'pulls')}`);
  if (state !== 'all') conditions.push(fragment`i.is_closed = ${flag(state === 'closed')}`);
  if (milestones !== null) conditions.push(fragment`i.milestone_id in (${values(milestones)})`);
  if (authorId !== undefined) conditions.push(fragment`i.author_id = ${authorId}`);
  if (since !== undefined) conditions.push(fragment`i.updated_at >= ${since}`);
  if (before !== undefined) conditions.push(fragment`i.updated_at <= ${before}`);
  for (const ids of selection.labels) conditions.push(linkedWith('labels', ids));
  if (selection.assigneeId !== undefined) conditions.push(linkedWith('assignees', [selection.assigneeId]));
  if (selection.mentionedId !== undefined) conditions.push(linkedWith('mentions', [selection.mentionedId]));
  return { from: raw('issues i'), where: joined(conditions, ' and ') };
}

function linkedWith(kind: LinkKind, subjectIds: readonly number[]): Fragment {
  return fragment`exists (select 1 from ${tableOf(kind)} link
    where link.issue_id = i.id and link.subject_id in (${values(subjectIds)}))`;
}
