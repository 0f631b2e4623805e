import { type Fragment, flag, fragment, literal, raw, values } from '../../../base/database/fragment.ts';
import type { RepositoryId } from '../../../git/model.ts';
import type { IssueFilter } from '../model.ts';
import { type LinkKind, linksOfIssue, tableOf } from './links.ts';

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
}

/** Whether no issue can match, because a set of ids is empty. */
export function matchesNone({ labels, milestones }: IssueConditions): boolean {
  return labels.some((ids) => ids.length === 0) || milestones?.length === 0;
}

/**
 * One of the four parts of all issues: open or closed, issues or pull requests. Most indexes begin with these columns.
 */
export interface Part {
  readonly isPull: boolean;
  readonly isClosed: boolean;
}

export function partsOf({ state, type }: Pick<IssueConditions, 'state' | 'type'>): readonly Part[] {
  const pulls = type === 'all' ? [false, true] : [type === 'pulls'];
  const closed = state === 'all' ? [false, true] : [state === 'closed'];
  return pulls.flatMap((isPull) => closed.map((isClosed) => ({ isPull, isClosed })));
}

/**
 * Compares the columns of a part. The values are part of the text, so that both databases plan with them.
 *
 * @param of alias of the table
 */
export function isOfPart(of: Fragment, { isPull, isClosed }: Part): Fragment {
  return fragment`${of}.is_pull = ${literal(flag(isPull))} and ${of}.is_closed = ${literal(flag(isClosed))}`;
}

/** A required link to one of `subjectIds`. */
export interface WantedLink {
  readonly kind: LinkKind;
  readonly subjectIds: readonly number[];
}

export function linksOf({ labels, assigneeId, mentionedId }: IssueConditions): readonly WantedLink[] {
  return [
    ...labels.map((subjectIds): WantedLink => ({ kind: 'labels', subjectIds })),
    ...(assigneeId === undefined ? [] : [{ kind: 'assignees', subjectIds: [assigneeId] } as const]),
    ...(mentionedId === undefined ? [] : [{ kind: 'mentions', subjectIds: [mentionedId] } as const]),
  ];
}

/** @param issueId column with the id of an issue */
export function hasLink(issueId: Fragment, { kind, subjectIds }: WantedLink): Fragment {
  return fragment`exists (select 1 from ${tableOf(kind)} link ${linksOfIssue(kind)}
    where link.issue_id = ${issueId} and link.subject_id in (${values(subjectIds)}))`;
}

/** Conditions on the columns of `issues i`, besides those on its part, its repository and its time. */
export function columnsMatch({
  milestones,
  authorId,
}: Pick<IssueConditions, 'milestones' | 'authorId'>): readonly Fragment[] {
  return [
    ...(milestones === null ? [] : [fragment`i.milestone_id in (${values(milestones)})`]),
    ...(authorId === undefined ? [] : [fragment`i.author_id = ${authorId}`]),
  ];
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
