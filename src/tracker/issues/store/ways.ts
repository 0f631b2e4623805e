import type { Db } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw, usingIndex, values } from '../../../base/database/fragment.ts';
import { queryCount } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/model.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import {
  columnsMatch,
  hasLink,
  type IssueConditions,
  isOfPart,
  linksOf,
  type Part,
  partsOf,
  timeMatches,
  type WantedLink,
} from './conditions.ts';
import { linksSortedBy, tableOf } from './links.ts';
import type { SortedBy } from './orders.ts';

/** Issues of a repository. */
export interface IssueSelection extends IssueConditions {
  readonly repositoryId: RepositoryId;
}

/** The index that drives the query. */
export type Way = (
  | { readonly by: 'order' }
  | { readonly by: 'link'; readonly link: WantedLink }
  | { readonly by: 'milestones' }
  | { readonly by: 'author' }
) & {
  /** matches too many issues to look them up one by one */
  readonly isLong?: boolean;
};

export async function narrowestWay(db: Db, selection: IssueSelection): Promise<Way> {
  const { milestones, authorId } = selection;
  const ways: readonly Way[] = [
    ...linksOf(selection).map((link): Way => ({ by: 'link', link })),
    ...(milestones === null ? [] : [{ by: 'milestones' } as const]),
    ...(authorId === undefined ? [] : [{ by: 'author' } as const]),
  ];
  const [first = { by: 'order' } as const] = ways;
  if (first.by === 'order' || (ways.length === 1 && checksOf(first, selection).checks.length === 0))
    return first;
  let best: { way: Way; count: number } = { way: first, count: ISSUE_LIMITS.issuesCountedForWayMax + 1 };
  for (const way of ways) {
    const found = partsOf(selection).map(
      (part) => fragment`select 1 as one ${fromOf(way, selection, part, 'number')}`,
    );
    const count = await queryCount(db, fragment`(select 1 from (${unionOf(found)}) x limit ${best.count}) y`);
    if (count < best.count) best = { way, count };
  }
  return { ...best.way, isLong: best.count > ISSUE_LIMITS.issuesCountedForWayMax };
}

/** Returns `from … where …` with the condition of one way only, on `issues i` or on links `d`. */
function fromOf(
  way: Way,
  { repositoryId, milestones, authorId }: IssueSelection,
  part: Part,
  sortedBy: SortedBy,
): Fragment {
  switch (way.by) {
    case 'link': {
      const { kind, subjectIds } = way.link;
      return fragment`from ${tableOf(kind)} d ${linksSortedBy(kind, sortedBy)} where ${isOfLinks(repositoryId, subjectIds, part)}`;
    }
    case 'milestones':
      return fragment`from issues i ${BY_MILESTONE} where i.milestone_id in (${values(milestones ?? [])})
        and ${isOfPart(raw('i'), part)}`;
    case 'author':
      return fragment`from issues i ${BY_AUTHOR} where i.repository_id = ${repositoryId}
        and i.author_id = ${authorId ?? null} and ${isOfPart(raw('i'), part)}`;
    case 'order':
      return fragment`from issues i ${issuesSortedBy(sortedBy)} where i.repository_id = ${repositoryId}
        and ${isOfPart(raw('i'), part)}`;
  }
}

export const BY_MILESTONE = usingIndex('issues_milestone');
const BY_AUTHOR = usingIndex('issues_author');

/** The index that has the issues of one repository in an order. */
export function issuesSortedBy(order: SortedBy): Fragment {
  return usingIndex(`issues_${order}`);
}

function isOfLinks(repositoryId: RepositoryId, subjectIds: readonly number[], part: Part): Fragment {
  return fragment`d.repository_id = ${repositoryId} and d.subject_id in (${values(subjectIds)})
    and ${isOfPart(raw('d'), part)}`;
}

/** No issues. */
export const NOTHING = raw('select 0 as id where 1 = 0');

/** Union of the statements. Selects nothing if there are none. */
export function unionOf(parts: readonly Fragment[]): Fragment {
  return parts.length === 0 ? NOTHING : joined(parts, ' union all ');
}

/** Returns the conditions that the index of a way does not check, and whether they need a row of `issues`. */
export function checksOf(
  way: Way,
  selection: IssueSelection,
): { checks: readonly Fragment[]; needsRow: boolean } {
  const ofColumns = columnsMatch(columnsLeftBy(way, selection));
  const ofTime = timeMatches(raw(way.by === 'link' ? 'd' : 'i'), selection);
  const links = linksOf(selection).filter((link) => way.by !== 'link' || !isSameLink(link, way.link));
  return {
    checks: [...ofColumns, ...ofTime, ...links.map((link) => hasLink(idOf(way), link))],
    needsRow: ofColumns.length > 0,
  };
}

/** Whether the index of the way covers all remaining conditions. Only a range of time may remain. */
export function isCovered(way: Way, selection: IssueSelection): boolean {
  const { since, before } = selection;
  const hasTimes = way.by === 'order' || way.by === 'link' || (since === undefined && before === undefined);
  return hasTimes && checksOf(way, { ...selection, since: undefined, before: undefined }).checks.length === 0;
}

function columnsLeftBy(way: Way, selection: IssueSelection): IssueSelection {
  return {
    ...selection,
    milestones: way.by === 'milestones' ? null : selection.milestones,
    authorId: way.by === 'author' ? undefined : selection.authorId,
  };
}

/** As `checksOf`, but without rows of `issues`. The `+` signs keep SQLite from looking up each issue of a list. */
function checksInLists(
  way: Way,
  selection: IssueSelection,
  part: Part,
): { checks: readonly Fragment[]; needsRow: false } {
  const { repositoryId, authorId, milestones, since, before } = columnsLeftBy(way, selection);
  const areTimesInIndex = way.by === 'link' || way.by === 'order';
  const lists: readonly (readonly [index: Fragment, matches: readonly Fragment[]])[] = [
    [BY_MILESTONE, columnsMatch({ milestones, authorId: undefined })],
    [BY_AUTHOR, columnsMatch({ milestones: null, authorId })],
    [issuesSortedBy('updated'), areTimesInIndex ? [] : timeMatches(raw('i'), { since, before })],
  ];
  const inLists = lists
    .filter(([, matches]) => matches.length > 0)
    .map(
      ([index, matches]) => fragment`+${idOf(way)} in (select i.id from issues i ${index}
        where i.repository_id = ${repositoryId} and ${isOfPart(raw('i'), part)} and ${joined(matches, ' and ')})`,
    );
  const others = { ...selection, milestones: null, authorId: undefined };
  if (way.by === 'order') {
    const times = timeMatches(raw('i'), selection);
    return { checks: [...times, ...inLists, ...linksInLists(selection, part)], needsRow: false };
  }
  const left = areTimesInIndex ? others : { ...others, since: undefined, before: undefined };
  return { checks: [...inLists, ...checksOf(way, left).checks], needsRow: false };
}

function linksInLists(selection: IssueSelection, part: Part): readonly Fragment[] {
  return linksOf(selection).map(
    ({ kind, subjectIds }) => fragment`+i.id in (select d.issue_id from ${tableOf(kind)} d
      ${linksSortedBy(kind, 'number')} where ${isOfLinks(selection.repositoryId, subjectIds, part)})`,
  );
}

function idOf(way: Way): Fragment {
  return raw(way.by === 'link' ? 'd.issue_id' : 'i.id');
}

function isSameLink(one: WantedLink, other: WantedLink): boolean {
  return one.kind === other.kind && String(one.subjectIds) === String(other.subjectIds);
}

/** What to select of the matches of a part: `id`, then the sort keys `k0`, `k1`, … */
export interface MatchesWanted {
  /** sort keys, as columns of `issues i` or of links `d`; empty: selects only the ids */
  readonly keys?: readonly Fragment[];
  /** The index of the way that has this order finds the issues. Default: the index by id, or by time. */
  readonly sortedBy?: SortedBy;
  /** `rows`: checks conditions in the row of each issue. `lists`: checks them in lists of issues from other indexes. */
  readonly check?: 'rows' | 'lists';
  /** Additional conditions, on the columns of the keys. */
  readonly more?: readonly Fragment[];
}

/** Returns the statement that selects the matches of one part. */
export function matchesOf(
  way: Way,
  selection: IssueSelection,
  part: Part,
  { keys = [], sortedBy = indexOfTimes(selection), check = 'rows', more = [] }: MatchesWanted = {},
): Fragment {
  const { checks, needsRow } =
    check === 'lists' ? checksInLists(way, selection, part) : checksOf(way, selection);
  const sign = raw(isOfSeveralMilestones(way, selection) ? '+' : '');
  const columns = [
    fragment`${sign}${idOf(way)} as id`,
    ...keys.map((key, at) => fragment`${key} as ${raw(`k${at}`)}`),
  ];
  // An issue may have several labels of one name.
  const distinct = way.by === 'link' && way.link.subjectIds.length > 1 ? raw('distinct ') : raw('');
  const from =
    way.by === 'link' && needsRow
      ? fromWithIssue(way, selection, part, sortedBy)
      : fromOf(way, selection, part, sortedBy);
  return joined([fragment`select ${distinct}${joined(columns, ', ')} ${from}`, ...checks, ...more], ' and ');
}

/** If true, a `+` before the ids keeps the databases from walking all issues in the order of their ids. */
export function isOfSeveralMilestones(way: Way, { milestones }: IssueSelection): boolean {
  return way.by === 'milestones' && (milestones?.length ?? 0) > 1;
}

/** The index that finds matches whose order does not matter. */
export function indexOfTimes({ since, before }: Pick<IssueSelection, 'since' | 'before'>): SortedBy {
  return since === undefined && before === undefined ? 'number' : 'updated';
}

/** Joins the links of a way with their issues. The cross join keeps SQLite from starting with the issues. */
function fromWithIssue(
  { link: { kind, subjectIds } }: Way & { by: 'link' },
  { repositoryId }: IssueSelection,
  part: Part,
  sortedBy: SortedBy,
): Fragment {
  return fragment`from ${tableOf(kind)} d ${linksSortedBy(kind, sortedBy)} cross join issues i
    where i.id = d.issue_id and ${isOfLinks(repositoryId, subjectIds, part)}`;
}
