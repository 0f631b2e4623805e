import { LIMITS } from '../../core/limits.ts';
import type { Db } from '../../database/database.ts';
import { type Fragment, fragment, joined, raw, values } from '../../database/fragment.ts';
import { queryCount } from '../../database/query.ts';
import type { RepositoryId } from '../../git/model.ts';
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
import { tableOf } from './links.ts';

/** Issues of a repository. */
export interface IssueSelection extends IssueConditions {
  readonly repositoryId: RepositoryId;
}

/** How issues are found: by an index of this. */
export type Way = (
  | { readonly by: 'order' }
  | { readonly by: 'link'; readonly link: WantedLink }
  | { readonly by: 'milestones' }
  | { readonly by: 'author' }
) & {
  /** it finds so many that to look up each would take long */
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
  let best: { way: Way; count: number } = { way: first, count: LIMITS.issuesCountedForWayMax + 1 };
  for (const way of ways) {
    const found = partsOf(selection).map((part) => fragment`select 1 as one ${fromOf(way, selection, part)}`);
    const count = await queryCount(db, fragment`(select 1 from (${unionOf(found)}) x limit ${best.count}) y`);
    if (count < best.count) best = { way, count };
  }
  return { ...best.way, isLong: best.count > LIMITS.issuesCountedForWayMax };
}

/** `from … where …` of the issues that a way finds, as `issues i` or as links `d`, without the conditions of others. */
function fromOf(way: Way, { repositoryId, milestones, authorId }: IssueSelection, part: Part): Fragment {
  switch (way.by) {
    case 'link':
      return fragment`from ${tableOf(way.link.kind)} d where d.repository_id = ${repositoryId}
        and d.subject_id in (${values(way.link.subjectIds)}) and ${isOfPart(raw('d'), part)}`;
    case 'milestones':
      return fragment`from issues i where i.milestone_id in (${values(milestones ?? [])}) and ${isOfPart(raw('i'), part)}`;
    case 'author':
      return fragment`from issues i where i.repository_id = ${repositoryId} and i.author_id = ${authorId ?? null}
        and ${isOfPart(raw('i'), part)}`;
    case 'order':
      return fragment`from issues i where i.repository_id = ${repositoryId} and ${isOfPart(raw('i'), part)}`;
  }
}

export function unionOf(parts: readonly Fragment[]): Fragment {
  return joined(parts, ' union all ');
}

/** Whether conditions are checked in the row of each issue, or in lists of issues that indexes return at once. */
type Check = 'rows' | 'lists';

/** Whose times are checked. The sign keeps SQLite from the index of times where another one finds the issues. */
const TIMED = { order: 'i', link: 'd', milestones: '+i', author: '+i' } as const;

/** The conditions that a way leaves to check, and whether they need a row of `issues`. */
export function checksOf(
  way: Way,
  selection: IssueSelection,
): { checks: readonly Fragment[]; needsRow: boolean } {
  const ofColumns = columnsMatch(columnsLeftBy(way, selection));
  const ofTime = timeMatches(raw(TIMED[way.by]), selection);
  const links = linksOf(selection).filter((link) => way.by !== 'link' || !isSameLink(link, way.link));
  return {
    checks: [...ofColumns, ...ofTime, ...links.map((link) => hasLink(idOf(way), link))],
    needsRow: ofColumns.length > 0,
  };
}

function columnsLeftBy(way: Way, selection: IssueSelection): IssueSelection {
  return {
    ...selection,
    milestones: way.by === 'milestones' ? null : selection.milestones,
    authorId: way.by === 'author' ? undefined : selection.authorId,
  };
}

/** The same as `checksOf`, without rows of `issues`. The signs keep SQLite from a look-up for each issue of a list. */
function checksInLists(
  way: Way,
  selection: IssueSelection,
  part: Part,
): { checks: readonly Fragment[]; needsRow: false } {
  if (way.by === 'order') return linksInLists(selection, part);
  const { repositoryId, authorId, milestones, since, before } = columnsLeftBy(way, selection);
  const isTimeInLists = way.by !== 'link';
  const lists = [
    columnsMatch({ milestones, authorId: undefined }),
    columnsMatch({ milestones: null, authorId }),
    isTimeInLists ? timeMatches(raw('i'), { since, before }) : [],
  ].filter((match) => match.length > 0);
  const inLists = lists.map(
    (match) => fragment`+${idOf(way)} in (select i.id from issues i
      where i.repository_id = ${repositoryId} and ${isOfPart(raw('i'), part)} and ${joined(match, ' and ')})`,
  );
  const others = { ...selection, milestones: null, authorId: undefined };
  const left = isTimeInLists ? { ...others, since: undefined, before: undefined } : others;
  return { checks: [...inLists, ...checksOf(way, left).checks], needsRow: false };
}

/** The same as `checksOf` for issues in their order. */
function linksInLists(
  selection: IssueSelection,
  part: Part,
): { checks: readonly Fragment[]; needsRow: false } {
  const links = linksOf(selection).map(
    ({ kind, subjectIds }) => fragment`+i.id in (select link.issue_id from ${tableOf(kind)} link
      where link.repository_id = ${selection.repositoryId} and link.subject_id in (${values(subjectIds)})
        and ${isOfPart(raw('link'), part)})`,
  );
  return {
    checks: [...columnsMatch(selection), ...timeMatches(raw('i'), selection), ...links],
    needsRow: false,
  };
}

function idOf(way: Way): Fragment {
  return raw(way.by === 'link' ? 'd.issue_id' : 'i.id');
}

function isSameLink(one: WantedLink, other: WantedLink): boolean {
  return one.kind === other.kind && String(one.subjectIds) === String(other.subjectIds);
}

/** What the matches are sorted by, as columns of `issues i` or of links `d`. */
export type SortKeys = 'id' | { readonly columns: readonly Fragment[]; readonly areOfLinks: boolean };

/** The matches of one part: `select …`. */
export function matchesOf(
  way: Way,
  selection: IssueSelection,
  part: Part,
  keys: SortKeys,
  check: Check = 'rows',
): Fragment {
  const { checks, needsRow } =
    check === 'lists' && way.isLong === true ? checksInLists(way, selection, part) : checksOf(way, selection);
  const needsIssue = way.by === 'link' && (needsRow || (keys !== 'id' && !keys.areOfLinks));
  const id = idOf(way);
  // The sign keeps SQLite from walking all issues in the order of their ids.
  const isUnordered = way.by === 'milestones' && (selection.milestones?.length ?? 0) > 1;
  const columns =
    keys === 'id'
      ? [fragment`${raw(isUnordered ? '+' : '')}${id} as id`]
      : [fragment`${id} as id`, ...keys.columns.map((key, at) => fragment`${key} as ${raw(`k${at}`)}`)];
  // An issue may have several labels of one name.
  const distinct = way.by === 'link' && way.link.subjectIds.length > 1 ? raw('distinct ') : raw('');
  const from = fromOf(way, selection, part);
  const joinedFrom = needsIssue ? fromWithIssue(way, selection, part) : from;
  return joined([fragment`select ${distinct}${joined(columns, ', ')} ${joinedFrom}`, ...checks], ' and ');
}

/** The links of a way with their issues. A cross join keeps SQLite from starting with the issues. */
function fromWithIssue(way: Way & { by: 'link' }, { repositoryId }: IssueSelection, part: Part): Fragment {
  return fragment`from ${tableOf(way.link.kind)} d cross join issues i where i.id = d.issue_id
    and d.repository_id = ${repositoryId} and d.subject_id in (${values(way.link.subjectIds)})
    and ${isOfPart(raw('d'), part)}`;
}
