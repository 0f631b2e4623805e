import {
  type Fragment,
  flag,
  fragment,
  joined,
  literal,
  raw,
  usingIndex,
  values,
} from '../../../../base/database/fragment.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { unitsOf } from '../../../../hosting/repositories/tracker.ts';
import type { IssueFilter, PullBranches } from '../../model.ts';
import { type LinkKind, linksOfIssue, linkTable } from '../../store/links.ts';

/** An `IssueFilter` with ids instead of names. An issue has to match every field that is set. */
export interface IssueConditions extends Pick<IssueFilter, 'state' | 'type' | 'since' | 'before'> {
  readonly repositoryId?: RepositoryId | undefined;
  /** The issue has one label of each of these sets. */
  readonly labels: readonly (readonly number[])[];
  /** The issue belongs to one of these milestones. null: it may have any milestone, or none */
  readonly milestones: readonly number[] | null;
  readonly authorId?: number | undefined;
  readonly assigneeId?: number | undefined;
  readonly mentionedId?: number | undefined;
  /** The issue is a pull request with these branches. */
  readonly pulls?: PullBranches | undefined;
}

/** Whether no issue can match, because a set of ids is empty. */
export function matchesNone({ labels, milestones }: IssueConditions): boolean {
  return labels.some((ids) => ids.length === 0) || milestones?.length === 0;
}

/**
 * One of the four partitions of all issues: open or closed, issues or pull requests. Most indexes begin with these
 * columns.
 */
export interface Partition {
  readonly isPull: boolean;
  readonly isClosed: boolean;
}

export function partitionsOf({ state, type }: Pick<IssueConditions, 'state' | 'type'>): readonly Partition[] {
  const closed = state === 'all' ? [false, true] : [state === 'closed'];
  return unitsOf(type).flatMap((unit) => closed.map((isClosed) => ({ isPull: unit === 'pulls', isClosed })));
}

/**
 * Compares the columns of a partition. The values are part of the text, so that both databases plan with them.
 *
 * @param of alias of the table
 */
export function isInPartition(of: Fragment, { isPull, isClosed }: Partition): Fragment {
  return fragment`${of}.is_pull = ${literal(flag(isPull))} and ${of}.is_closed = ${literal(flag(isClosed))}`;
}

/** A required link to one of `subjectIds`. */
export interface RequiredLink {
  readonly kind: LinkKind;
  readonly subjectIds: readonly number[];
}

export function requiredLinks({ labels, assigneeId, mentionedId }: IssueConditions): readonly RequiredLink[] {
  return [
    ...labels.map((subjectIds): RequiredLink => ({ kind: 'labels', subjectIds })),
    ...(assigneeId === undefined ? [] : [{ kind: 'assignees', subjectIds: [assigneeId] } as const]),
    ...(mentionedId === undefined ? [] : [{ kind: 'mentions', subjectIds: [mentionedId] } as const]),
  ];
}

/** @param issueId column with the id of an issue */
export function hasLink(issueId: Fragment, { kind, subjectIds }: RequiredLink): Fragment {
  return fragment`exists (select 1 from ${linkTable(kind)} link ${linksOfIssue(kind)}
    where link.issue_id = ${issueId} and link.subject_id in (${values(subjectIds)}))`;
}

/** Conditions on the columns of `issues i`, besides its partition, its repository and its time. */
export function columnsMatch({
  milestones,
  authorId,
  pulls,
}: Pick<IssueConditions, 'milestones' | 'authorId' | 'pulls'>): readonly Fragment[] {
  return [
    ...(pulls === undefined
      ? []
      : [fragment`exists (select 1 from pulls p where p.issue_id = i.id and ${branchesMatch(pulls)})`]),
    ...(milestones === null ? [] : [fragment`i.milestone_id in (${values(milestones)})`]),
    ...(authorId === undefined ? [] : [fragment`i.author_id = ${authorId}`]),
  ];
}

/** Conditions on `pulls p`. */
export function branchesMatch({ base, head }: PullBranches): Fragment {
  const conditions = [raw('1 = 1')];
  if (base !== undefined) conditions.push(fragment`p.base_branch = ${base}`);
  if (head !== undefined) {
    const { branch, repositoryId } = head;
    conditions.push(fragment`p.head_branch = ${branch}`);
    if (repositoryId === null) conditions.push(raw('p.head_repository_id is null'));
    else if (repositoryId !== undefined) conditions.push(fragment`p.head_repository_id = ${repositoryId}`);
  }
  return joined(conditions, ' and ');
}

/** @param of alias of `issues`, or of a table of links, which repeat the time of their issue */
export function timeMatches(
  of: Fragment,
  { since, before }: Pick<IssueConditions, 'since' | 'before'>,
): readonly Fragment[] {
  return [
    ...(since === undefined ? [] : [fragment`${of}.updated_at >= ${since}`]),
    ...(before === undefined ? [] : [fragment`${of}.updated_at <= ${before}`]),
  ];
}

/** Conditions on the columns of a row of `issues i` that was found by its id. */
export function rowMatches(conditions: IssueConditions): readonly Fragment[] {
  const { state, type } = conditions;
  return [
    ...(type === 'all' ? [] : [fragment`+i.is_pull = ${literal(flag(type === 'pulls'))}`]),
    ...(state === 'all' ? [] : [fragment`+i.is_closed = ${literal(flag(state === 'closed'))}`]),
    ...columnsMatch(conditions),
    ...timeMatches(raw('i'), conditions),
  ];
}

/** Indexes of `issues`, by the name that they have on SQLite. */
export const ISSUES_BY_MILESTONE = usingIndex('issues_milestone');
export const ISSUES_BY_AUTHOR = usingIndex('issues_author');

/** The index of `pulls p` that finds the pull requests of a repository with these branches. */
export function pullsBy({ head }: PullBranches): Fragment {
  return usingIndex(head?.repositoryId === undefined ? 'pulls_base' : 'pulls_head');
}

/** Selects nothing. */
export const NOTHING = raw('select 0 as id where 1 = 0');

/** Union of the statements. Selects nothing if there are none. */
export function unionOf(statements: readonly Fragment[]): Fragment {
  return statements.length === 0 ? NOTHING : joined(statements, ' union all ');
}
