import { LIMITS } from '../../core/limits.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import type { Db } from '../../database/database.ts';
import { type Fragment, fragment, joined, raw, values } from '../../database/fragment.ts';
import { query, queryCount, queryFirst } from '../../database/query.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { IssueOrder } from '../model.ts';
import {
  columnsMatch,
  hasLink,
  type IssueConditions,
  isOfPart,
  linksOf,
  matchesNone,
  type Part,
  partsOf,
  type WantedLink,
} from './conditions.ts';
import { tableOf } from './links.ts';
import { ORDERS, type Order } from './orders.ts';

export interface IssueSelection extends IssueConditions {
  readonly repositoryId: RepositoryId;
  readonly order: IssueOrder;
}

/**
 * Lists the ids of issues of a repository: a page, and the number of all.
 *
 * The issues are found by the most selective of the links, milestones or authors of the selection. In another order than
 * by number, many of them are found along the index of that order instead, and each is checked.
 */
export async function listIssueIds(db: Db, selection: IssueSelection, paging: Paging): Promise<Page<number>> {
  if (matchesNone(selection)) return { items: [], total: 0 };
  const narrowest = await narrowestWay(db, selection);
  const total = await countAll(db, narrowest, selection);
  const order = ORDERS[selection.order];
  const isWalked = !order.isById && total > LIMITS.issuesSortedMax;
  const way = isWalked ? ({ by: 'order' } as const) : narrowest;
  const page = fragment`limit ${paging.limit} offset ${offsetOf(paging)}`;
  const rows = await query<{ id: number }>(db, fragment`${inOrder(way, selection, order)} ${page}`);
  return { items: rows.map(({ id }) => id), total };
}

/** How issues are found: by an index of this. */
type Way =
  | { readonly by: 'order' }
  | { readonly by: 'link'; readonly link: WantedLink }
  | { readonly by: 'milestones' }
  | { readonly by: 'author' };

async function narrowestWay(db: Db, selection: IssueSelection): Promise<Way> {
  const { milestones, authorId } = selection;
  const ways: readonly Way[] = [
    ...linksOf(selection).map((link): Way => ({ by: 'link', link })),
    ...(milestones === null ? [] : [{ by: 'milestones' } as const]),
    ...(authorId === undefined ? [] : [{ by: 'author' } as const]),
  ];
  const [first = { by: 'order' } as const, ...others] = ways;
  if (others.length === 0) return first;
  let best = { way: first, count: Number.POSITIVE_INFINITY };
  for (const way of ways) {
    const limit = Math.min(best.count, LIMITS.issuesSortedMax + 1);
    const found = partsOf(selection).map((part) => fragment`select 1 as one ${fromOf(way, selection, part)}`);
    const count = await queryCount(db, fragment`(select 1 from (${unionOf(found)}) x limit ${limit}) y`);
    if (count < best.count) best = { way, count };
  }
  return best.way;
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

function unionOf(parts: readonly Fragment[]): Fragment {
  return joined(parts, ' union all ');
}

/** The conditions that a way leaves to check, and whether they need a row of `issues`. */
function checksOf(way: Way, selection: IssueSelection): { checks: readonly Fragment[]; needsRow: boolean } {
  const ofColumns = columnsMatch({
    ...selection,
    milestones: way.by === 'milestones' ? null : selection.milestones,
    authorId: way.by === 'author' ? undefined : selection.authorId,
  });
  const id = way.by === 'link' ? fragment`d.issue_id` : fragment`i.id`;
  const links = linksOf(selection).filter((link) => way.by !== 'link' || !isSameLink(link, way.link));
  return {
    checks: [...ofColumns, ...links.map((link) => hasLink(id, link))],
    needsRow: ofColumns.length > 0,
  };
}

function isSameLink(one: WantedLink, other: WantedLink): boolean {
  return one.kind === other.kind && String(one.subjectIds) === String(other.subjectIds);
}

/** The matches of one part: `select …`. */
function matchesOf(
  way: Way,
  selection: IssueSelection,
  part: Part,
  keys: readonly Fragment[] | 'id',
): Fragment {
  const { checks, needsRow } = checksOf(way, selection);
  const needsIssue = way.by === 'link' && (needsRow || keys !== 'id');
  const id = way.by === 'link' ? fragment`d.issue_id` : fragment`i.id`;
  const columns =
    keys === 'id'
      ? [fragment`${id} as id`]
      : [fragment`i.id as id`, ...keys.map((key, at) => fragment`${key} as ${raw(`k${at}`)}`)];
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

/** Each part comes in order by an index, or is sorted; the databases merge them. */
function inOrder(way: Way, selection: IssueSelection, { keys, direction, isById }: Order): Fragment {
  const sortedBy = isById ? (way.by === 'order' ? [raw('i.number')] : 'id') : keys;
  const parts = partsOf(selection).map((part) => matchesOf(way, selection, part, sortedBy));
  const names = sortedBy === 'id' ? [raw('id')] : sortedBy.map((_, at) => raw(`k${at}`));
  const columns = names.map((name) => fragment`${name} ${direction}`);
  return fragment`${unionOf(parts)} order by ${joined(columns, ', ')}`;
}

async function countAll(db: Db, way: Way, selection: IssueSelection): Promise<number> {
  let total = 0;
  for (const part of partsOf(selection)) total += await countPart(db, way, selection, part);
  return total;
}

async function countPart(db: Db, way: Way, selection: IssueSelection, part: Part): Promise<number> {
  const isWhole = way.by === 'order' && checksOf(way, selection).checks.length === 0;
  if (isWhole && !part.isPull) return countOfRepository(db, selection.repositoryId, part);
  return queryCount(db, fragment`(${matchesOf(way, selection, part, 'id')}) x`);
}

/** The repository counts its issues. */
async function countOfRepository(db: Db, id: RepositoryId, { isClosed }: Part): Promise<number> {
  const column = raw(isClosed ? 'closed_issues_count' : 'open_issues_count');
  const row = await queryFirst<{ total: number }>(
    db,
    fragment`select ${column} as total from repositories where id = ${id}`,
  );
  return row?.total ?? 0;
}
