import { type Db, dialectOf } from '../../../../base/database/database.ts';
import { type Fragment, fragment, joined, literal, raw } from '../../../../base/database/fragment.ts';
import { listed, query, queryCount } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import { isInPartition, matchesNone, partitionsOf, unionOf } from '../../listing/store/conditions.ts';
import { ORDERS } from '../../listing/store/orders.ts';
import { type BoundSearch, type IssueSearch, matching } from './bound-search.ts';
import {
  type Candidates,
  COMMENT_ROWS,
  type CommentKind,
  candidatesAnywhere,
  candidatesInRepository,
  candidatesOf,
  commentsOf,
  hasFilter,
  ISSUES_EVERYWHERE,
} from './candidates.ts';
import { compareIssues } from './few-issues.ts';
import { listGiven, listWithReadableCode, mayRead, mayReadCode } from './readable.ts';
import { hasMoreTexts, matchingTexts, type TextSelection } from './texts.ts';
import { areAllIndexed, headingWord } from './words.ts';

/** The issues that a search has found. */
export interface FoundIssues {
  /** in order: by default the best match first, and then the newest */
  readonly ids: readonly number[];
  /** false: more issues may match */
  readonly isComplete: boolean;
}

/**
 * Searches issues. Finds up to `ISSUE_LIMITS.foundIssuesMax`: first issues with the words in the title, then in title
 * or text, then in a comment or a review, then in a comment on lines. In each of
 * these groups, it finds the newest.
 */
export async function searchIssues(db: Db, search: IssueSearch): Promise<FoundIssues> {
  if (matchesNone(search) || repositoriesOf(search)?.length === 0) return NOTHING_FOUND;
  const candidates = await candidatesFor(db, search);
  if (candidates?.count === 0) return NOTHING_FOUND;
  const bound = {
    ...search,
    candidates,
    mayRead: await readableIn(db, search),
    hasFilter: hasFilter(search),
  };
  const { ids, isComplete } =
    search.terms.length === 0 ? await withoutWords(db, bound) : await withWords(db, bound);
  const first = ids.slice(0, ISSUE_LIMITS.foundIssuesMax);
  return { ids: await inOrder(db, search, first), isComplete: isComplete && first.length === ids.length };
}

const NOTHING_FOUND: FoundIssues = { ids: [], isComplete: true };

/** One issue more than a search may find shows that there are more. */
const WANTED = ISSUE_LIMITS.foundIssuesMax + 1;

async function readableIn(db: Db, search: IssueSearch): Promise<Fragment | undefined> {
  const { viewer, type, repositoryId, readableIds } = search;
  if (repositoryId !== undefined || readableIds !== undefined) return undefined;
  return mayRead(viewer, type, await listGiven(db, viewer, type));
}

async function candidatesFor(db: Db, search: IssueSearch): Promise<Candidates | undefined> {
  const { repositoryId, readableIds } = search;
  if (repositoryId !== undefined) return candidatesInRepository(db, search, repositoryId);
  const found = await candidatesAnywhere(db, search);
  const isOfOwner = found === undefined && readableIds !== undefined && search.terms.length === 0;
  return isOfOwner ? candidatesOf(db, readableIds, search) : found;
}

/** The repositories that the index of words selects; undefined: the texts of all repositories are looked at. */
function repositoriesByWord(search: IssueSearch): readonly RepositoryId[] | undefined {
  const ids = repositoriesOf(search);
  return (ids?.length ?? 0) > ISSUE_LIMITS.repositoriesSearchedByWordMax ? undefined : ids;
}

/** The only repositories that a search searches; undefined: all */
function repositoriesOf({ repositoryId, readableIds }: IssueSearch): readonly RepositoryId[] | undefined {
  if (repositoryId !== undefined) return [repositoryId];
  return readableIds && [...new Set([...readableIds.issues, ...readableIds.pulls])];
}

/** Finds issues by their words, the best matches first: titles, then texts, then comments. */
async function withWords(db: Db, search: BoundSearch): Promise<FoundIssues> {
  // Before the search: a job could index texts that the search has missed.
  const isIndexed = await areAllIndexed(db, search.repositoryId);
  const texts = issueTexts(search);
  const compared = await compareIssues(db, search);
  const ids = compared ?? (await idsByIndex(db, search, texts));
  if (ids.length >= WANTED) return { ids, isComplete: false };
  const isOfAllTexts = isIndexed && (compared !== undefined || !(await hasMoreTexts(db, texts)));
  const found = await withComment(db, search, 'comment', { ids, isComplete: isOfAllTexts });
  const ofLines = await searchOfLines(db, search);
  return ofLines === undefined ? found : withComment(db, ofLines, 'line', found);
}

/** Adds the issues that have a comment of this kind with the words. */
async function withComment(
  db: Db,
  search: BoundSearch,
  kind: CommentKind,
  found: FoundIssues,
): Promise<FoundIssues> {
  const { ids, isComplete } = found;
  if (ids.length >= WANTED) return { ids, isComplete: false };
  const texts = await commentTexts(db, kind, search);
  if (texts === undefined) return found;
  const added = await newestIds(db, issuesWithComment(db, kind, { search, texts }), { known: ids });
  return { ids: [...ids, ...added], isComplete: isComplete && !(await hasMoreTexts(db, texts)) };
}

/**
 * Limits a search to pull requests whose comments on lines the viewer may read.
 *
 * @returns undefined if there are none
 */
async function searchOfLines(db: Db, search: BoundSearch): Promise<BoundSearch | undefined> {
  const { viewer, type, repositoryId, readableIds, mayRead } = search;
  if (type === 'issues' || !search.isCodeReadable) return undefined;
  if (repositoryId !== undefined) return search;
  if (mayRead !== undefined)
    return { ...search, mayRead: fragment`${mayRead} and ${await mayReadCode(db, viewer)}` };
  const pulls = await listWithReadableCode(db, viewer, readableIds?.pulls ?? []);
  return pulls.length === 0 ? undefined : { ...search, readableIds: { issues: [], pulls } };
}

/** Finds issues by the words of their titles, and then of their texts. */
async function idsByIndex(db: Db, search: BoundSearch, texts: TextSelection): Promise<readonly number[]> {
  const headings = texts.terms.map((term) => ({ ...term, words: term.words.map(headingWord) }));
  const titles = { ...texts, terms: headings, countMax: ISSUE_LIMITS.textsCheckedMax };
  const byTitle = await newestIds(db, issuesWith(db, search, titles));
  if (byTitle.length >= WANTED) return byTitle;
  return [...byTitle, ...(await newestIds(db, issuesWith(db, search, texts), { known: byTitle }))];
}

/** The texts at which a search looks: the newest ones with its words. */
function issueTexts(search: BoundSearch): TextSelection {
  const { candidates, terms } = search;
  // In one repository without a filter, nothing is checked.
  const isChecked = candidates === undefined && (search.repositoryId === undefined || search.hasFilter);
  return {
    kind: 'issue',
    terms,
    repositoryIds: repositoriesByWord(search),
    among: candidates,
    countMax: isChecked ? ISSUE_LIMITS.textsCheckedMax : comparedMax(search),
  };
}

function comparedMax({ repositoryId }: IssueSearch): number {
  return repositoryId === undefined ? ISSUE_LIMITS.textsComparedAnywhereMax : ISSUE_LIMITS.textsComparedMax;
}

/** Selects the `id` of the issues whose title or text is selected. */
function issuesWith(db: Db, search: BoundSearch, texts: TextSelection): Fragment {
  return fragment`select found.id from (${matchingTexts(db, texts)}) found ${matching(search)}`;
}

/** The comments at which a search looks. @returns undefined if no candidate has a comment */
async function commentTexts(
  db: Db,
  kind: CommentKind,
  search: BoundSearch,
): Promise<TextSelection | undefined> {
  const { candidates, terms } = search;
  const among = candidates && (await commentsOf(db, kind, candidates));
  if (among?.count === 0) return undefined;
  return {
    kind,
    terms,
    repositoryIds: repositoriesByWord(search),
    among,
    countMax: among === undefined ? ISSUE_LIMITS.commentsCheckedMax : comparedMax(search),
  };
}

/** Selects the `id` of the issues that have a selected comment. */
function issuesWithComment(
  db: Db,
  kind: CommentKind,
  { search, texts }: { readonly search: BoundSearch; readonly texts: TextSelection },
): Fragment {
  const issues = fragment`select e.issue_id as id from (${matchingTexts(db, texts)}) text
    cross join ${COMMENT_ROWS[kind].table} e where e.id = text.id`;
  const { candidates, repositoryId } = search;
  // Over all repositories, `matching` checks the whole filter.
  const isChecked = candidates === undefined || texts.among !== undefined || repositoryId === undefined;
  const isCandidate = isChecked ? raw('') : fragment` and +found.id in (${candidates.ids})`;
  return fragment`select distinct found.id from (${issues}) found ${matching(search)}${isCandidate}`;
}

/** Finds the newest issues, or the oldest ones, for a search over all repositories that names no words. */
async function withoutWords(db: Db, search: BoundSearch): Promise<FoundIssues> {
  const { candidates, order } = search;
  const isOldestFirst = order === 'oldest';
  const direction = raw(isOldestFirst ? 'asc' : 'desc');
  if (candidates !== undefined) {
    // Without a limit, SQLite ignores the order of a subquery.
    const newest = fragment`${candidates.ids} order by id ${direction} limit ${literal(ISSUE_LIMITS.issuesListedOfOwnerMax)}`;
    const statement = fragment`select found.id from (${newest}) found ${matching(search)}`;
    return { ids: await newestIds(db, statement, { isOldestFirst }), isComplete: true };
  }
  const countMax = ISSUE_LIMITS.textsCheckedMax;
  const lookedAt = partitionsOf(search).map(
    (partition) => fragment`select d.id from issues d ${ISSUES_EVERYWHERE}
      where ${isInPartition(raw('d'), partition)} order by d.id ${direction} limit ${literal(countMax)}`,
  );
  const found = lookedAt.map((each, at) => {
    const matches = fragment`select found.id from (${each}) found ${matching(search)} limit ${literal(WANTED)}`;
    return fragment`select id from (${matches}) ${raw(`part${at}`)}`;
  });
  const sorted = fragment`${unionOf(found)} order by id ${direction} limit ${literal(WANTED)}`;
  const statement = fragment`select found.id from (${sorted}) found where 1 = 1`;
  const ids = await newestIds(db, statement, { isOldestFirst });
  const counts = await Promise.all(lookedAt.map((each) => queryCount(db, fragment`(${each}) looked_at`)));
  return { ids, isComplete: counts.every((count) => count < countMax) };
}

/** Finds issues that are not known yet, the newest first, up to one more than a search finds. */
async function newestIds(
  db: Db,
  statement: Fragment,
  { known = [], isOldestFirst = false }: { known?: readonly number[]; isOldestFirst?: boolean } = {},
): Promise<readonly number[]> {
  const isNew = known.length === 0 ? raw('') : fragment` and +found.id not in (${listed(db, 'id', known)})`;
  // SQLite keeps the order of the first table of a join, and stops at the limit.
  const order =
    dialectOf(db) === 'sqlite' ? raw('') : fragment`order by 1 ${raw(isOldestFirst ? 'asc' : 'desc')}`;
  const limit = literal(WANTED - known.length);
  const rows = await query<{ id: number }>(db, fragment`${statement}${isNew} ${order} limit ${limit}`);
  const ids = rows.map(({ id }) => id).toSorted((one, other) => one - other);
  return isOldestFirst ? ids : ids.toReversed();
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
