import type { Viewer } from '../../../api/access/viewer.ts';
import { type Db, dialectOf } from '../../../base/database/database.ts';
import {
  type Fragment,
  fragment,
  joined,
  literal,
  raw,
  usingIndex,
  values,
} from '../../../base/database/fragment.ts';
import { listed, query } from '../../../base/database/query.ts';
import type { Term } from '../../../base/text-search/query.ts';
import type { RepositoryId } from '../../../git/model.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { IssueOrder } from '../model.ts';
import {
  type Candidates,
  candidatesAnywhere,
  candidatesInRepository,
  candidatesOf,
  EVERYWHERE,
  type NamedConditions,
} from './candidates.ts';
import {
  type ComparedIssues,
  compareComments,
  compareIssues,
  compareNewest,
  NEWEST_TEXTS,
} from './compared.ts';
import {
  hasLink,
  type IssueConditions,
  isOfPart,
  linksOf,
  matchesNone,
  partsOf,
  rowMatches,
} from './conditions.ts';
import { linksOfIssue } from './links.ts';
import { ORDERS } from './orders.ts';
import { type WantedTerm, wordsOfTerms } from './terms.ts';
import { oldestIn, reachesAll, type TextSelection, textsWith } from './texts.ts';
import { listGivenWithReadableIssues, mayReadIssues } from './visible.ts';
import { headingWord } from './words.ts';

/**
 * A search in one repository that was looked up for the viewer, or in all repositories whose issues the viewer may
 * read.
 */
export interface IssueSearch extends IssueConditions, NamedConditions {
  readonly viewer: Viewer;
  /** only these repositories, in which the viewer may read issues; absent: all */
  readonly repositoryIds?: readonly RepositoryId[] | undefined;
  /** An issue has all of them in its title and text, or in one comment. Empty: an issue needs no words. */
  readonly terms: readonly Term[];
  readonly order: IssueOrder;
  /** issues of this repository come first */
  readonly firstRepositoryId?: number | undefined;
}

/**
 * Searches issues. Finds up to `ISSUE_LIMITS.foundIssuesMax`: first issues with the words in the title, then in title or
 * text, then in a comment. In each of these groups, it finds the newest.
 *
 * Frequent words do not slow a search down, because it looks only at the newest `ISSUE_LIMITS.searchedTextsMax` texts. In a
 * repository, it looks only at issues that match the filter, unless there are many.
 *
 * @returns the ids of all issues that were found, in order: by default the best match first, and then the newest
 */
export async function searchIssues(db: Db, wanted: IssueSearch): Promise<readonly number[]> {
  if (matchesNone(wanted) || wanted.repositoryIds?.length === 0) return [];
  const { terms, order } = wanted;
  const candidates = await candidatesFor(db, wanted);
  if (candidates?.count === 0) return [];
  const search = { ...wanted, mayRead: await readableIn(db, wanted) };
  const isOldestFirst = order === 'oldest';
  const found =
    terms.length === 0
      ? await idsOf(db, withoutWords(search, candidates, { isOldestFirst }), { isOldestFirst })
      : await idsWithWords(db, search, candidates);
  return inOrder(db, search, found);
}

/**
 * A search. `mayRead`: the condition on `repositories r` that the viewer may read their issues; undefined if the search
 * names repositories that were checked.
 */
interface BoundSearch extends IssueSearch {
  readonly mayRead: Fragment | undefined;
}

async function readableIn(db: Db, search: IssueSearch): Promise<Fragment | undefined> {
  const { viewer, repositoryId, repositoryIds } = search;
  if (repositoryId !== undefined || repositoryIds !== undefined) return undefined;
  return mayReadIssues(viewer, await listGivenWithReadableIssues(db, viewer));
}

async function candidatesFor(db: Db, search: IssueSearch): Promise<Candidates | undefined> {
  const { repositoryId, repositoryIds, terms } = search;
  if (repositoryId !== undefined) return candidatesInRepository(db, search);
  const found = await candidatesAnywhere(db, search);
  // A search for words needs no list of the issues, because the indexes of words find texts by repository.
  const isOfOwner = found === undefined && repositoryIds !== undefined && terms.length === 0;
  return isOfOwner ? candidatesOf(db, repositoryIds, search) : found;
}

/** A search for words, with the words of texts that its terms stand for. */
interface WordSearch extends BoundSearch {
  readonly candidates: Candidates | undefined;
  readonly wanted: readonly WantedTerm[];
  /** repositories that are searched one at a time; undefined: all repositories are searched together */
  readonly homes: readonly RepositoryId[] | undefined;
}

/** Finds issues with the words of a search, the best matches first. */
async function idsWithWords(
  db: Db,
  bound: BoundSearch,
  candidates: Candidates | undefined,
): Promise<readonly number[]> {
  const search = { ...bound, candidates, ...(await wordsAndHomes(db, bound)) };
  const compared = await compare(db, search);
  const found = new Set<number>();
  const newest = async (statement: Fragment | undefined) =>
    statement === undefined ? [] : newestIds(db, statement, found);
  const byTitle = async () => newest(await withTitle(db, search));
  const byText = async () => newest(await withText(db, search));
  const byComment = async () => newest(await withComment(db, search));
  const needsTitles = compared?.areAll === false && compared.matches.length < ISSUE_LIMITS.foundIssuesMax / 2;
  const ranks =
    compared === undefined
      ? [byTitle, byText, byComment]
      : [
          ...(needsTitles ? [byTitle] : []),
          async () => compared.matches,
          async () => (await compareComments(db, compared.commented, search.wanted)) ?? byComment(),
        ];
  for (const idsOfRank of ranks) {
    if (found.size >= ISSUE_LIMITS.foundIssuesMax) break;
    for (const id of await idsOfRank()) if (found.size < ISSUE_LIMITS.foundIssuesMax) found.add(id);
  }
  return [...found];
}

/**
 * Chooses the repositories to search one at a time: the named one, or all repositories of an owner who has few. Looking
 * up many words in each of many repositories takes long. If the indexes reach all texts with the words, it therefore
 * searches all repositories together; otherwise it searches for fewer words.
 */
async function wordsAndHomes(
  db: Db,
  { repositoryId, repositoryIds, terms }: IssueSearch,
): Promise<Pick<WordSearch, 'wanted' | 'homes'>> {
  const wanted = await wordsOfTerms(db, terms, { repositoriesOneByOne: 1 });
  if (repositoryId !== undefined) return { wanted, homes: [repositoryId] };
  const count = repositoryIds?.length ?? 0;
  if (count === 0 || count > ISSUE_LIMITS.repositoriesSearchedOneByOneMax)
    return { wanted, homes: undefined };
  const areWordsFew = count * ISSUE_LIMITS.searchedWordsMax <= ISSUE_LIMITS.searchedWordsOfRepositoriesMax;
  if (areWordsFew) return { wanted, homes: repositoryIds };
  if (await reachesAll(db, wanted)) return { wanted, homes: undefined };
  return { wanted: await wordsOfTerms(db, terms, { repositoriesOneByOne: count }), homes: repositoryIds };
}

/**
 * Compares the texts of issues that match the filter, if there are few, or if the indexes of words reach less far back.
 */
async function compare(db: Db, search: WordSearch): Promise<ComparedIssues | undefined> {
  const { candidates, wanted, homes } = search;
  if (candidates === undefined) return undefined;
  const compared =
    candidates.count <= ISSUE_LIMITS.issuesReadForSearchMax
      ? await compareIssues(db, { ...candidates, ids: matchesAmong(search, candidates) }, wanted)
      : undefined;
  if (compared !== undefined || homes !== undefined) return compared;
  const oldestInReach = await oldestIn(db, wanted);
  if (oldestInReach === undefined) return undefined;
  const newest = fragment`order by id desc limit ${literal(ISSUE_LIMITS.newestIssuesReadForSearchMax)}`;
  const ids = fragment`select id from (${candidates.ids}) all_candidates ${newest}`;
  return compareNewest(db, textsAmong(search, { ...candidates, ids }), wanted, { oldestInReach });
}

/** Finds issues that are not known yet, up to the limit of a search. */
function newestIds(db: Db, statement: Fragment, known: ReadonlySet<number>): Promise<readonly number[]> {
  const others = fragment`${statement} and +found.id not in (${listed(db, 'id', [...known])})`;
  const limit = ISSUE_LIMITS.foundIssuesMax - known.size;
  return idsOf(db, known.size === 0 ? statement : others, { limit, isOldestFirst: false });
}

/** Runs a statement that finds issues, and sorts them by their ids. */
async function idsOf(
  db: Db,
  statement: Fragment,
  { isOldestFirst, limit = ISSUE_LIMITS.foundIssuesMax }: { isOldestFirst: boolean; limit?: number },
): Promise<readonly number[]> {
  const direction = isOldestFirst ? 1 : -1;
  // SQLite keeps the order of the first table of a join, and stops at the limit.
  const order =
    dialectOf(db) === 'sqlite' ? raw('') : fragment`order by 1 ${raw(isOldestFirst ? 'asc' : 'desc')}`;
  const rows = await query<{ id: number }>(db, fragment`${statement} ${order} limit ${limit}`);
  return rows.map(({ id }) => id).toSorted((one, other) => direction * (one - other));
}

/** Sorts the issues of a search, which come in the order of relevance. */
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

/** Finds issues by the words of their titles. */
function withTitle(db: Db, search: WordSearch): Promise<Fragment | undefined> {
  const headings = search.wanted.map((phrases) => phrases.map((words) => words.map(headingWord)));
  return inTexts(db, search, { terms: headings, areShort: true });
}

/** Finds issues by the words of their titles and texts. */
function withText(db: Db, search: WordSearch): Promise<Fragment | undefined> {
  return inTexts(db, search, { terms: search.wanted, areShort: false });
}

async function inTexts(
  db: Db,
  search: WordSearch,
  words: Pick<TextSelection, 'terms' | 'areShort'>,
): Promise<Fragment | undefined> {
  const { candidates, homes } = search;
  const wordsCount = words.terms.flat(2).length;
  const among = candidates && {
    ...candidates,
    areFew: candidates.count * wordsCount <= ISSUE_LIMITS.wordsLookedUpForSearchMax,
    ...(candidates.areDense === true ? { check: checkOf(search) } : {}),
  };
  const found = await textsWith(db, {
    kind: 'issue',
    ...words,
    repositoryIds: homes,
    ...(among === undefined ? {} : { among }),
  });
  return found && fragment`select found.id from (${found}) found ${matching(search, candidates)}`;
}

/** Finds issues by the words of their comments. Looks at the newest comments, or at the comments of few candidates. */
async function withComment(db: Db, search: WordSearch): Promise<Fragment | undefined> {
  const { candidates, wanted, homes, repositoryId } = search;
  const isListed = candidates !== undefined && candidates.count <= ISSUE_LIMITS.issuesListedForCommentsMax;
  const entries = fragment`select e.id from (${candidates?.ids ?? raw('')}) candidates cross join issue_entries e
    where e.issue_id = candidates.id and e.kind = 'comment'`;
  const comments = await textsWith(db, {
    kind: 'comment',
    terms: wanted,
    repositoryIds: homes,
    areShort: false,
    ...(isListed ? { among: { ids: entries, count: candidates.count, areFew: false } } : {}),
  });
  if (comments === undefined) return undefined;
  // In one repository, the entries are close together in the index with these columns. Over all repositories, they are
  // close together in the table.
  const inRepository =
    repositoryId === undefined
      ? raw('')
      : raw(` and e.repository_id = text.repository_id and e.kind = 'comment'`);
  const found = fragment`select e.issue_id as id, e.repository_id from (${comments}) text cross join issue_entries e
    where e.id = text.id${inRepository}`;
  const needsCheck = candidates !== undefined && !isListed && repositoryId !== undefined;
  const isCandidate = needsCheck ? fragment` and ${amongCandidates(search, candidates)}` : raw('');
  return fragment`select distinct found.id from (${found}) found ${matching(search, candidates)}${isCandidate}`;
}

function amongCandidates(search: WordSearch, { ids, areDense = false }: Candidates): Fragment {
  if (!areDense) return fragment`+found.id in (${ids})`;
  return fragment`exists (select 1 from issues i where i.id = found.id and ${checkOf(search)})`;
}

/** The conditions of a filter in a repository, on `issues i`. */
function checkOf(search: IssueConditions): Fragment {
  const ofLinks = linksOf(search).map((link) => hasLink(raw('i.id'), link));
  return joined([...rowMatches(search), ...ofLinks], ' and ');
}

/** Finds issues for a search without words: the newest of each part, or the oldest, as far as the search looks. */
function withoutWords(
  search: BoundSearch,
  candidates: Candidates | undefined,
  { isOldestFirst }: { isOldestFirst: boolean },
): Fragment {
  const direction = raw(isOldestFirst ? 'asc' : 'desc');
  const limit = literal(ISSUE_LIMITS.foundIssuesMax);
  if (candidates?.areMatches === true)
    return fragment`select id from (${candidates.ids} order by id ${direction} limit ${limit}) newest`;
  const searched = fragment`order by id ${direction} limit ${literal(ISSUE_LIMITS.searchedTextsAnywhereMax)}`;
  if (candidates !== undefined)
    return matchesAmong(search, { ...candidates, ids: fragment`${candidates.ids} ${searched}` });
  const parts = partsOf(search).map((part, at) => {
    const found = fragment`select i.id, i.repository_id from issues i ${EVERYWHERE} where ${isOfPart(raw('i'), part)} ${searched}`;
    const matches = matching(ofKnownParts(search), candidates);
    return fragment`select id from (select found.id from (${found}) found ${matches} limit ${limit}) ${raw(`part${at}`)}`;
  });
  return fragment`select id from (select id from (${joined(parts, ' union all ')}) parts order by id ${direction} limit ${limit}) sorted`;
}

/** Selects the `id` of the candidates that match. */
function matchesAmong(search: BoundSearch, candidates: Candidates): Fragment {
  if (search.repositoryId !== undefined) return candidates.ids;
  return fragment`select found.id ${fromMatches(search, candidates, raw(''))}`;
}

/** Selects the candidates that match, with their texts. */
function textsAmong(search: BoundSearch, candidates: Candidates): Fragment {
  const texts = fragment`, i.title, i.comments_count, ${NEWEST_TEXTS}`;
  return fragment`select found.id, found.title, found.comments_count, found.bytes, found.body
    ${fromMatches(search, candidates, texts)}`;
}

/** @param columns more columns of `issues i`, each after a comma */
function fromMatches(search: BoundSearch, candidates: Candidates, columns: Fragment): Fragment {
  const found = fragment`select c.id, i.repository_id${columns}
    from (${candidates.ids}) c cross join issues i where i.id = c.id`;
  return fragment`from (${found}) found ${matching(ofKnownParts(search), candidates)}`;
}

/** The search without the conditions on state and type, which `partsOf` has already applied. */
function ofKnownParts(search: BoundSearch): BoundSearch {
  return { ...search, state: 'all', type: 'all' };
}

/** Returns `… where …`, which checks the issues `found`, a table with the ids of issues and of their repositories. */
function matching(search: BoundSearch, candidates: Candidates | undefined): Fragment {
  const { repositoryId, repositoryIds, mayRead } = search;
  if (repositoryId !== undefined && candidates !== undefined) return raw('where 1 = 1');
  const conditions = [
    ...linksOf(search).map((link) => hasLink(raw('found.id'), link)),
    ...namedLabels(search),
  ];
  const ofRow = [...rowMatches(search), ...namedMilestones(search)];
  // Joins issues first: few of them match the columns of a filter, but the viewer may read most repositories.
  const issues = ofRow.length === 0 ? raw('') : raw('cross join issues i');
  if (ofRow.length > 0) conditions.push(raw('i.id = found.id'), ...ofRow);
  const repositories = mayRead === undefined ? raw('') : raw('cross join repositories r');
  if (mayRead !== undefined) conditions.push(raw('r.id = found.repository_id'), mayRead);
  if (repositoryIds !== undefined)
    conditions.unshift(fragment`found.repository_id in (${values(repositoryIds)})`);
  return fragment`${issues} ${repositories} where ${joined([raw('1 = 1'), ...conditions], ' and ')}`;
}

const LABELS_BY_NAME = usingIndex('labels_names');

function namedLabels({ anyLabel = [] }: NamedConditions): readonly Fragment[] {
  if (anyLabel.length === 0) return [];
  return [
    fragment`exists (select 1 from issue_labels link ${linksOfIssue('labels')}
      cross join labels l ${LABELS_BY_NAME}
      where l.id = link.subject_id and link.issue_id = found.id and l.name in (${values(anyLabel)}))`,
  ];
}

function namedMilestones({ anyMilestone = [] }: NamedConditions): readonly Fragment[] {
  if (anyMilestone.length === 0) return [];
  return [
    fragment`exists (select 1 from milestones m
      where m.id = i.milestone_id and m.title in (${values(anyMilestone)}))`,
  ];
}
