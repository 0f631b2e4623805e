import type { Viewer } from '../../access/viewer.ts';
import { LIMITS } from '../../core/limits.ts';
import { type Db, dialectOf } from '../../database/database.ts';
import { type Fragment, fragment, joined, literal, raw, values } from '../../database/fragment.ts';
import { listed, query, queryFirst } from '../../database/query.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { Term } from '../../text-search/query.ts';
import type { IssueOrder } from '../model.ts';
import {
  type Candidates,
  candidatesAnywhere,
  candidatesInRepository,
  candidatesOf,
  type NamedConditions,
} from './candidates.ts';
import { compareComments, compareIssues } from './compared.ts';
import {
  hasLink,
  type IssueConditions,
  isOfPart,
  linksOf,
  matchesNone,
  partsOf,
  rowMatches,
} from './conditions.ts';
import { ORDERS } from './orders.ts';
import { type WantedTerm, wordsOfTerms } from './terms.ts';
import { type TextSelection, textsWith } from './texts.ts';
import { mayReadIssues } from './visible.ts';
import { headingWord } from './words.ts';

/** A search in one repository that was looked up for the viewer, or in all whose issues the viewer may read. */
export interface IssueSearch extends IssueConditions, NamedConditions {
  readonly viewer: Viewer;
  /** only in these, in which the viewer may read issues; absent: in all */
  readonly repositoryIds?: readonly RepositoryId[] | undefined;
  /** An issue has all of them in its title and text, or in one comment. None: an issue needs no words. */
  readonly terms: readonly Term[];
  readonly order: IssueOrder;
  /** issues of this repository come first */
  readonly firstRepositoryId?: number | undefined;
}

/**
 * Searches issues: the newest `LIMITS.foundIssuesMax` that match, of those with the words in their title, then of those
 * with the words in title or text, then of those with a comment that has them.
 *
 * Words that many texts have do not slow a search down, because it looks at the newest `LIMITS.searchedTextsMax` only. In a
 * repository, it looks only at issues that match the filter, unless these are many.
 *
 * @returns the ids of all that were found, in order: by default the best first, and of equal ones the newest
 */
export async function searchIssues(db: Db, search: IssueSearch): Promise<readonly number[]> {
  if (matchesNone(search) || search.repositoryIds?.length === 0) return [];
  const { terms, order } = search;
  const candidates = await candidatesFor(db, search);
  if (candidates?.count === 0) return [];
  const isOldestFirst = order === 'oldest';
  const found =
    terms.length === 0
      ? await idsOf(db, withoutWords(search, candidates, { isOldestFirst }), { isOldestFirst })
      : await idsWithWords(db, search, candidates);
  return inOrder(db, search, found);
}

async function candidatesFor(db: Db, search: IssueSearch): Promise<Candidates | undefined> {
  const { repositoryId, repositoryIds, terms } = search;
  if (repositoryId !== undefined) return candidatesInRepository(db, search);
  const found = await candidatesAnywhere(db, search);
  // The texts of a repository are found without a list of its issues.
  const isOfOwner = found === undefined && repositoryIds !== undefined && terms.length === 0;
  return isOfOwner ? candidatesOf(db, repositoryIds, search) : found;
}

/** Finds issues with the words of a search, those with the best matches first. */
async function idsWithWords(
  db: Db,
  search: IssueSearch,
  candidates: Candidates | undefined,
): Promise<readonly number[]> {
  const terms = await wordsOfTerms(db, search.terms, {
    repositoriesOneByOne: oneByOne(search)?.length ?? 1,
  });
  const compared =
    candidates === undefined || candidates.count > LIMITS.issuesReadForSearchMax
      ? undefined
      : await compareIssues(db, matchesAmong(search, candidates), terms);
  const found = new Set<number>();
  const ranks = [
    ...(compared === undefined
      ? withWords(db, search, candidates, terms).map((statement) => () => newestIds(db, statement, found))
      : [async () => compared.matches]),
    async () =>
      (compared && (await compareComments(db, compared.commented, terms))) ??
      (await newestIds(db, withComments(db, search, candidates, terms), found)),
  ];
  for (const idsOfRank of ranks) {
    if (found.size >= LIMITS.foundIssuesMax) break;
    for (const id of await idsOfRank()) if (found.size < LIMITS.foundIssuesMax) found.add(id);
  }
  return [...found];
}

/** Finds issues that are not known yet, as many as a search can still find. */
function newestIds(db: Db, statement: Fragment, known: ReadonlySet<number>): Promise<readonly number[]> {
  const others = fragment`${statement} and +found.id not in (${listed(db, 'id', [...known])})`;
  const limit = LIMITS.foundIssuesMax - known.size;
  return idsOf(db, known.size === 0 ? statement : others, { limit, isOldestFirst: false });
}

/** Runs a statement that finds issues, and sorts them by their ids. */
async function idsOf(
  db: Db,
  statement: Fragment,
  { isOldestFirst, limit = LIMITS.foundIssuesMax }: { isOldestFirst: boolean; limit?: number },
): Promise<readonly number[]> {
  const direction = isOldestFirst ? 1 : -1;
  // SQLite keeps the order of the first table of a join, and stops at the limit.
  const order =
    dialectOf(db) === 'sqlite' ? raw('') : fragment`order by 1 ${raw(isOldestFirst ? 'asc' : 'desc')}`;
  const rows = await query<{ id: number }>(db, fragment`${statement} ${order} limit ${limit}`);
  return rows.map(({ id }) => id).toSorted((one, other) => direction * (one - other));
}

/** Sorts the issues of a search, which are in the order of their ranks. */
async function inOrder(
  db: Db,
  { order, firstRepositoryId }: IssueSearch,
  ids: readonly number[],
): Promise<readonly number[]> {
  const { keys, direction, isById } = ORDERS[order];
  if (firstRepositoryId === undefined && order === 'relevance') return ids;
  if (firstRepositoryId === undefined && isById)
    return ids.toSorted((one, other) => (order === 'oldest' ? one - other : other - one));
  const isFirst =
    firstRepositoryId === undefined
      ? raw('0')
      : fragment`case when i.repository_id = ${firstRepositoryId} then 0 else 1 end`;
  const columns = keys.map((key) => fragment`${key} ${direction}`);
  const rows = await query<{ id: number; is_later: number }>(
    db,
    fragment`select i.id, ${isFirst} as is_later from (${listed(db, 'id', ids)}) found cross join issues i
      where i.id = found.id order by ${joined(columns, ', ')}`,
  );
  const sorted = order === 'relevance' ? sortedAs(rows, ids) : rows;
  const [first = [], later = []] = [0, 1].map((part) => sorted.filter((row) => row.is_later === part));
  return [...first, ...later].map(({ id }) => id);
}

function sortedAs<Row extends { id: number }>(rows: readonly Row[], ids: readonly number[]): readonly Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Statements that find the issues with the words of a search: in their titles, and in their texts. */
function withWords(
  db: Db,
  search: IssueSearch,
  candidates: Candidates | undefined,
  terms: readonly WantedTerm[],
): readonly Fragment[] {
  const headings = terms.map((phrases) => phrases.map((words) => words.map(headingWord)));
  const wordsCount = terms.flat(2).length;
  const among =
    candidates === undefined
      ? {}
      : {
          among: {
            ...candidates,
            areFew: candidates.count * wordsCount <= LIMITS.wordsLookedUpForSearchMax,
          },
        };
  const ofIssues = { kind: 'issue', repositoryIds: oneByOne(search), ...among } as const;
  const issues = (wanted: TextSelection['terms'], options: { areShort: boolean }) => {
    const found = textsWith(db, { ...ofIssues, ...options, terms: wanted });
    return fragment`select found.id from (${found}) found ${matching(search, candidates)}`;
  };
  return [issues(headings, { areShort: true }), issues(terms, { areShort: false })];
}

/** Finds issues by the words of comments: of the newest ones, or of those of few candidates. */
function withComments(
  db: Db,
  search: IssueSearch,
  candidates: Candidates | undefined,
  terms: TextSelection['terms'],
): Fragment {
  const isListed = candidates !== undefined && candidates.count <= LIMITS.issuesListedForCommentsMax;
  const entries = fragment`select e.id from (${candidates?.ids ?? raw('')}) candidates cross join issue_entries e
    where e.issue_id = candidates.id and e.kind = 'comment'`;
  const comments = textsWith(db, {
    kind: 'comment',
    terms,
    repositoryIds: oneByOne(search),
    areShort: false,
    ...(isListed ? { among: { ids: entries, areFew: false } } : {}),
  });
  // Those of one repository are close together in the index that has the columns in this order, and those of all in the table.
  const inRepository =
    search.repositoryId === undefined
      ? raw('')
      : raw(` and e.repository_id = text.repository_id and e.kind = 'comment'`);
  const found = fragment`select e.issue_id as id, e.repository_id from (${comments}) text cross join issue_entries e
    where e.id = text.id${inRepository}`;
  const isCandidate =
    candidates === undefined || isListed || search.repositoryId === undefined
      ? raw('')
      : fragment` and +found.id in (${candidates.ids})`;
  return fragment`select distinct found.id from (${found}) found ${matching(search, candidates)}${isCandidate}`;
}

/** Repositories whose texts are looked at one by one: the one of the search, or those of an owner with few. */
function oneByOne({ repositoryId, repositoryIds }: IssueSearch): readonly RepositoryId[] | undefined {
  if (repositoryId !== undefined) return [repositoryId];
  const areFew =
    repositoryIds !== undefined && repositoryIds.length <= LIMITS.repositoriesSearchedOneByOneMax;
  return areFew ? repositoryIds : undefined;
}

/** The newest issues of each part, or the oldest, as far as they are looked at. Needs no words. */
function withoutWords(
  search: IssueSearch,
  candidates: Candidates | undefined,
  { isOldestFirst }: { isOldestFirst: boolean },
): Fragment {
  const direction = raw(isOldestFirst ? 'asc' : 'desc');
  const searched = fragment`order by id ${direction} limit ${literal(LIMITS.searchedTextsAnywhereMax)}`;
  if (candidates !== undefined)
    return matchesAmong(search, { ...candidates, ids: fragment`${candidates.ids} ${searched}` });
  const limit = literal(LIMITS.foundIssuesMax);
  const parts = partsOf(search).map((part, at) => {
    const found = fragment`select i.id, i.repository_id from issues i where ${isOfPart(raw('i'), part)} ${searched}`;
    const matches = matching(ofKnownParts(search), candidates);
    return fragment`select id from (select found.id from (${found}) found ${matches} limit ${limit}) ${raw(`part${at}`)}`;
  });
  return fragment`select id from (select id from (${joined(parts, ' union all ')}) parts order by id ${direction} limit ${limit}) sorted`;
}

/** The candidates that match: `select … as id`. */
function matchesAmong(search: IssueSearch, candidates: Candidates): Fragment {
  if (search.repositoryId !== undefined) return candidates.ids;
  const found = fragment`select c.id, i.repository_id from (${candidates.ids}) c cross join issues i where i.id = c.id`;
  return fragment`select found.id from (${found}) found ${matching(ofKnownParts(search), candidates)}`;
}

/** The search without the conditions that each part of all issues meets as a whole: see `partsOf`. */
function ofKnownParts(search: IssueSearch): IssueSearch {
  return { ...search, state: 'all', type: 'all' };
}

/** `… where …`: checks issues `found`, with their ids and those of their repositories. */
function matching(search: IssueSearch, candidates: Candidates | undefined): Fragment {
  const { viewer, repositoryId, repositoryIds } = search;
  if (repositoryId !== undefined && candidates !== undefined) return raw('where 1 = 1');
  const conditions = [
    ...linksOf(search).map((link) => hasLink(raw('found.id'), link)),
    ...namedLabels(search),
  ];
  const ofRow = [...rowMatches(search), ...namedMilestones(search)];
  // Few issues match the columns of a filter, while a viewer may read most repositories.
  const issues = ofRow.length === 0 ? raw('') : raw('cross join issues i');
  if (ofRow.length > 0) conditions.push(raw('i.id = found.id'), ...ofRow);
  const isAnywhere = repositoryId === undefined && repositoryIds === undefined;
  const repositories = isAnywhere ? raw('cross join repositories r') : raw('');
  if (isAnywhere) conditions.push(raw('r.id = found.repository_id'), mayReadIssues(viewer));
  if (repositoryIds !== undefined)
    conditions.unshift(fragment`found.repository_id in (${values(repositoryIds)})`);
  return fragment`${issues} ${repositories} where ${joined([raw('1 = 1'), ...conditions], ' and ')}`;
}

function namedLabels({ anyLabel = [] }: NamedConditions): readonly Fragment[] {
  if (anyLabel.length === 0) return [];
  return [
    fragment`exists (select 1 from issue_labels link join labels l on l.id = link.subject_id
      where link.issue_id = found.id and l.name in (${values(anyLabel)}))`,
  ];
}

function namedMilestones({ anyMilestone = [] }: NamedConditions): readonly Fragment[] {
  if (anyMilestone.length === 0) return [];
  return [
    fragment`exists (select 1 from milestones m
      where m.id = i.milestone_id and m.title in (${values(anyMilestone)}))`,
  ];
}

/** Finds a team of an organization by its name. */
export async function findTeamId(db: Db, organizationId: number, name: string): Promise<number | undefined> {
  const row = await queryFirst<{ id: number }>(
    db,
    fragment`select id from teams where organization_id = ${organizationId} and lower_name = ${name.toLowerCase()}`,
  );
  return row?.id;
}
