import type { Viewer } from '../../access/viewer.ts';
import { LIMITS } from '../../core/limits.ts';
import { type Db, dialectOf } from '../../database/database.ts';
import { type Fragment, fragment, joined, literal, raw, values } from '../../database/fragment.ts';
import { query, queryFirst } from '../../database/query.ts';
import type { RepositoryId } from '../../git/model.ts';
import { ftsAnyOf, ftsQuery, vectorAnyOf, vectorQuery } from '../../text-search/index-text.ts';
import type { Term } from '../../text-search/query.ts';
import type { IssueOrder } from '../model.ts';
import {
  type IssueConditions,
  isOfPart,
  linksOf,
  matchesNone,
  type Part,
  partsOf,
  rowMatches,
} from './conditions.ts';
import { tableOf } from './links.ts';
import { ORDERS } from './orders.ts';
import { mayReadIssues } from './visible.ts';
import { headingWord, homeWord } from './words.ts';

/** A search in one repository that was looked up for the viewer, or in all whose issues the viewer may read. */
export interface IssueSearch extends IssueConditions {
  readonly viewer: Viewer;
  /** only in these; absent: in all */
  readonly repositoryIds?: readonly RepositoryId[] | undefined;
  /** An issue has all of them in its title and text, or in one comment. None: an issue needs no words. */
  readonly terms: readonly Term[];
  readonly order: IssueOrder;
  /** names, one of which an issue has */
  readonly anyLabel?: readonly string[];
  /** titles, of one of which it is */
  readonly anyMilestone?: readonly string[];
  /** issues of this repository come first */
  readonly firstRepositoryId?: number | undefined;
}

/**
 * Searches issues: the newest `LIMITS.foundIssuesMax` that match, of those with the words in their title, then of those
 * with the words in title or text, then of those with a comment that has them.
 *
 * Words that many texts have do not slow a search down, because it looks at the newest `LIMITS.searchedTextsMax` only.
 *
 * @returns the ids of all that were found, in order: by default the best first, and of equal ones the newest
 */
export async function searchIssues(db: Db, search: IssueSearch): Promise<readonly number[]> {
  if (matchesNone(search) || search.repositoryIds?.length === 0) return [];
  const { order, terms, firstRepositoryId } = search;
  const isOldestFirst = terms.length === 0 && order === 'oldest';
  const found = terms.length === 0 ? [inOrderOfIds(search, { isOldestFirst })] : withWords(db, search);
  const ranked = found.map(
    (part, rank) => fragment`select id, ${literal(rank)} as rank from (${part}) ${raw(`f${rank}`)}`,
  );
  const { keys, direction } = ORDERS[order];
  const columns = keys.map((key) => fragment`${key} ${direction}`);
  const first =
    firstRepositoryId === undefined
      ? []
      : [fragment`case when i.repository_id = ${firstRepositoryId} then 0 else 1 end`];
  const best = order === 'relevance' ? [fragment`best.rank`] : [];
  const rows = await query<{ id: number }>(
    db,
    fragment`select i.id from (select id, min(rank) as rank from (${joined(ranked, ' union all ')}) a group by id
        order by rank, id ${raw(isOldestFirst ? 'asc' : 'desc')} limit ${literal(LIMITS.foundIssuesMax)}) best
      join issues i on i.id = best.id order by ${joined([...first, ...best, ...columns], ', ')}`,
  );
  return rows.map(({ id }) => id);
}

/** Statements that find the issues with the words of a search, the best first. */
function withWords(db: Db, search: IssueSearch): readonly Fragment[] {
  const { terms } = search;
  const headings = terms.map((term) => ({ ...term, words: term.words.map(headingWord) }));
  const texts = (table: Fragment, wanted: readonly Term[]) => textsWith(db, table, wanted, homesOf(search));
  const issues = (rows: Fragment) =>
    fragment`select i.id from (${rows}) found cross join issues i ${joinRepository(search)} where i.id = found.id`;
  const comments = fragment`select i.id from (${texts(raw('comment_words'), terms)}) found
    cross join issue_entries e cross join issues i ${joinRepository(search)} where e.id = found.id and i.id = e.issue_id`;
  const statements = [
    issues(texts(raw('issue_words'), headings)),
    issues(texts(raw('issue_words'), terms)),
    comments,
  ];
  return statements.map(
    (statement) => fragment`${statement} and ${conditionsOf(search)} limit ${literal(LIMITS.foundIssuesMax)}`,
  );
}

/** The row ids of the newest texts with all terms, of repositories with one of the words `homes`. */
function textsWith(db: Db, table: Fragment, terms: readonly Term[], homes: readonly string[]): Fragment {
  const isPostgres = dialectOf(db) === 'postgres';
  const anyOf = isPostgres ? vectorAnyOf : ftsAnyOf;
  const words = isPostgres ? vectorQuery(terms) : ftsQuery(terms);
  const and = isPostgres ? ' & ' : ' AND ';
  const wanted = homes.length === 0 ? words : `${anyOf(homes)}${and}${words}`;
  const matches = isPostgres
    ? fragment`words @@ cast(${wanted} as tsquery)`
    : fragment`${table} match ${wanted}`;
  return fragment`select rowid as id from ${table} where ${matches} order by rowid desc limit ${literal(LIMITS.searchedTextsMax)}`;
}

function homesOf({ repositoryId, repositoryIds = [] }: IssueSearch): readonly string[] {
  return (repositoryId === undefined ? repositoryIds : [repositoryId]).map(homeWord);
}

/** The newest issues of each part, or the oldest, as far as they are looked at. Needs no words. */
function inOrderOfIds(search: IssueSearch, { isOldestFirst }: { isOldestFirst: boolean }): Fragment {
  const direction = raw(isOldestFirst ? 'asc' : 'desc');
  const limit = literal(LIMITS.foundIssuesMax);
  const parts = partsOf(search).map(
    (part, at) => fragment`select id from (
      select i.id from (${candidatesOf(search, part)} order by id ${direction} limit ${literal(LIMITS.searchedTextsMax)}) found
      cross join issues i ${joinRepository(search)} where i.id = found.id and ${conditionsOf(search)} limit ${limit}
    ) ${raw(`part${at}`)}`,
  );
  return fragment`select id from (${joined(parts, ' union all ')}) parts order by id ${direction} limit ${limit}`;
}

/** The issues of a part by the index that finds the fewest: of a user, of some repositories, or of all. */
function candidatesOf(search: IssueSearch, part: Part): Fragment {
  const { authorId, repositoryIds } = search;
  const [link] = linksOf(search);
  if (link !== undefined)
    return fragment`select d.issue_id as id from ${tableOf(link.kind)} d
      where d.subject_id in (${values(link.subjectIds)}) and ${isOfPart(raw('d'), part)}`;
  const from = fragment`select i.id as id from issues i where ${isOfPart(raw('i'), part)}`;
  if (authorId !== undefined) return fragment`${from} and i.author_id = ${authorId}`;
  return repositoryIds === undefined
    ? from
    : fragment`${from} and i.repository_id in (${values(repositoryIds)})`;
}

/** A search of all repositories checks each that it comes across. */
function joinRepository({ repositoryId }: IssueSearch): Fragment {
  return repositoryId === undefined ? raw('cross join repositories r') : raw('');
}

function conditionsOf(search: IssueSearch): Fragment {
  const { viewer, repositoryId, repositoryIds, anyLabel = [], anyMilestone = [] } = search;
  const everywhere =
    repositoryId === undefined ? [fragment`r.id = i.repository_id and ${mayReadIssues(viewer)}`] : [];
  const among = repositoryIds === undefined ? [] : [fragment`+i.repository_id in (${values(repositoryIds)})`];
  const labels = fragment`exists (select 1 from issue_labels link join labels l on l.id = link.subject_id
    where link.issue_id = i.id and l.name in (${values(anyLabel)}))`;
  const milestones = fragment`exists (select 1 from milestones m
    where m.id = i.milestone_id and m.title in (${values(anyMilestone)}))`;
  return joined(
    [
      ...everywhere,
      ...among,
      ...(anyLabel.length === 0 ? [] : [labels]),
      ...(anyMilestone.length === 0 ? [] : [milestones]),
      rowMatches(search),
    ],
    ' and ',
  );
}

/** Finds a team of an organization by its name. */
export async function findTeamId(db: Db, organizationId: number, name: string): Promise<number | undefined> {
  const row = await queryFirst<{ id: number }>(
    db,
    fragment`select id from teams where organization_id = ${organizationId} and lower_name = ${name.toLowerCase()}`,
  );
  return row?.id;
}
