import type { Db } from '../../../../base/database/database.ts';
import {
  type Fragment,
  fragment,
  joined,
  raw,
  usingIndex,
  values,
} from '../../../../base/database/fragment.ts';
import { queryCount } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import { linksInRepository, linkTable } from '../../store/links.ts';
import {
  branchesMatch,
  columnsMatch,
  hasLink,
  ISSUES_BY_AUTHOR,
  ISSUES_BY_MILESTONE,
  type IssueConditions,
  isInPartition,
  type Partition,
  partitionsOf,
  pullsBy,
  type RequiredLink,
  requiredLinks,
  timeMatches,
  unionOf,
} from './conditions.ts';
import type { SortedBy } from './orders.ts';

/** Issues of a repository. */
export interface IssueSelection extends IssueConditions {
  readonly repositoryId: RepositoryId;
}

/**
 * The index that drives a query: it finds the issues of one condition, and each of them is checked for the remaining
 * conditions. `order` has all issues of the repository.
 */
export type DrivingIndex =
  | { readonly by: 'order' }
  | { readonly by: 'link'; readonly link: RequiredLink }
  | { readonly by: 'milestones' }
  | { readonly by: 'branches' }
  | { readonly by: 'author' };

/** Chooses the most selective index: that of the condition which matches the fewest issues. */
export async function mostSelectiveIndex(db: Db, selection: IssueSelection): Promise<DrivingIndex> {
  const { milestones, authorId, pulls } = selection;
  const indexes: readonly DrivingIndex[] = [
    ...requiredLinks(selection).map((link): DrivingIndex => ({ by: 'link', link })),
    ...(pulls === undefined ? [] : [{ by: 'branches' } as const]),
    ...(milestones === null ? [] : [{ by: 'milestones' } as const]),
    ...(authorId === undefined ? [] : [{ by: 'author' } as const]),
  ];
  const [first = { by: 'order' } as const] = indexes;
  if (indexes.length < 2) return first;
  let best: { index: DrivingIndex; count: number } = {
    index: first,
    count: ISSUE_LIMITS.issuesCountedForIndexMax,
  };
  for (const index of indexes) {
    const found = partitionsOf(selection).map(
      (partition) => fragment`select 1 as one ${fromOf(index, selection, partition, 'number')}`,
    );
    const count = await queryCount(db, fragment`(select 1 from (${unionOf(found)}) x limit ${best.count}) y`);
    if (count < best.count) best = { index, count };
  }
  return best.index;
}

/** Returns `from … where …` with the condition of the index only, on `issues i` or on links `d`. */
function fromOf(
  index: DrivingIndex,
  { repositoryId, milestones, authorId, pulls = {} }: IssueSelection,
  partition: Partition,
  sortedBy: SortedBy,
): Fragment {
  switch (index.by) {
    case 'link': {
      const { kind, subjectIds } = index.link;
      return fragment`from ${linkTable(kind)} d ${linksInRepository(kind)} where d.repository_id = ${repositoryId}
        and d.subject_id in (${values(subjectIds)}) and ${isInPartition(raw('d'), partition)}`;
    }
    case 'milestones':
      return fragment`from issues i ${ISSUES_BY_MILESTONE} where i.milestone_id in (${values(milestones ?? [])})
        and ${isInPartition(raw('i'), partition)}`;
    case 'branches':
      // The cross join keeps SQLite from starting with the issues.
      return fragment`from pulls p ${pullsBy(pulls)} cross join issues i where p.repository_id = ${repositoryId}
        and ${branchesMatch(pulls)} and i.id = p.issue_id and ${isInPartition(raw('i'), partition)}`;
    case 'author':
      return fragment`from issues i ${ISSUES_BY_AUTHOR} where i.repository_id = ${repositoryId}
        and i.author_id = ${authorId ?? null} and ${isInPartition(raw('i'), partition)}`;
    case 'order':
      return fragment`from issues i ${issuesSortedBy(sortedBy)} where i.repository_id = ${repositoryId}
        and ${isInPartition(raw('i'), partition)}`;
  }
}

/** The index that has the issues of one repository in an order. */
export function issuesSortedBy(order: SortedBy): Fragment {
  return usingIndex(`issues_${order}`);
}

/** The conditions that the index does not check, and whether they need a row of `issues`. */
function remainingConditions(
  index: DrivingIndex,
  selection: IssueSelection,
): { readonly conditions: readonly Fragment[]; readonly needsRow: boolean } {
  const ofColumns = columnsMatch({
    milestones: index.by === 'milestones' ? null : selection.milestones,
    authorId: index.by === 'author' ? undefined : selection.authorId,
    pulls: index.by === 'branches' ? undefined : selection.pulls,
  });
  const ofTime = timeMatches(raw(index.by === 'link' ? 'd' : 'i'), selection);
  const links = requiredLinks(selection).filter(
    (link) => index.by !== 'link' || !isSameLink(link, index.link),
  );
  return {
    conditions: [...ofColumns, ...ofTime, ...links.map((link) => hasLink(idOf(index), link))],
    needsRow: ofColumns.length > 0,
  };
}

/** Whether the index checks all conditions of the selection. */
export function isCovering(index: DrivingIndex, selection: IssueSelection): boolean {
  return remainingConditions(index, selection).conditions.length === 0;
}

function idOf(index: DrivingIndex): Fragment {
  return raw(index.by === 'link' ? 'd.issue_id' : 'i.id');
}

function isSameLink(one: RequiredLink, other: RequiredLink): boolean {
  return one.kind === other.kind && String(one.subjectIds) === String(other.subjectIds);
}

/** Columns to select: `id`, then the sort keys `k0`, `k1`, … */
interface SelectedColumns {
  /** sort keys, as columns of `issues i` or of links `d`; empty: selects only the ids */
  readonly keys?: readonly Fragment[];
  /** If the driving index is `order`: the index of this order finds the issues. Default: by number, or by time. */
  readonly sortedBy?: SortedBy;
  /** false: the keys are columns of `issues i`, also if links drive the query */
  readonly areKeysInLinks?: boolean;
}

/** Returns the statement that selects the matches of one partition. */
export function matchesIn(
  partition: Partition,
  index: DrivingIndex,
  selection: IssueSelection,
  { keys = [], sortedBy = indexOfTimes(selection), areKeysInLinks = true }: SelectedColumns = {},
): Fragment {
  const { conditions, needsRow } = remainingConditions(index, selection);
  const columns = [
    fragment`${idOf(index)} as id`,
    ...keys.map((key, at) => fragment`${key} as ${raw(`k${at}`)}`),
  ];
  // An issue may have several labels of one name.
  const distinct = index.by === 'link' && index.link.subjectIds.length > 1 ? raw('distinct ') : raw('');
  const from = fromOf(index, selection, partition, sortedBy);
  // The subquery keeps SQLite from starting with the issues.
  const joinedRows =
    index.by === 'link' && (needsRow || !areKeysInLinks)
      ? fragment`from (select d.* ${from}) d cross join issues i where i.id = d.issue_id`
      : from;
  return joined([fragment`select ${distinct}${joined(columns, ', ')} ${joinedRows}`, ...conditions], ' and ');
}

/** The index that finds matches whose order does not matter. */
function indexOfTimes({ since, before }: Pick<IssueSelection, 'since' | 'before'>): SortedBy {
  return since === undefined && before === undefined ? 'number' : 'updated';
}
