import { type Db, dialectOf } from '../../../base/database/database.ts';
import { type Fragment, fragment, literal, raw } from '../../../base/database/fragment.ts';
import { listed, queryFirst } from '../../../base/database/query.ts';
import { ftsQueryOfAny, vectorQueryOfAny } from '../../../base/text-search/index-text.ts';
import type { RepositoryId } from '../../../git/model.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { WantedTerm } from './terms.ts';
import { homeWord, type TextKind } from './words.ts';

/** Which texts a search looks at. */
export interface TextSelection {
  readonly kind: TextKind;
  /** A text has to match all of them. */
  readonly terms: readonly WantedTerm[];
  /** The texts are so short that finding phrases is as fast as finding words. */
  readonly areShort: boolean;
  /** texts of these repositories, which are searched one at a time; undefined: texts of all repositories */
  readonly repositoryIds: readonly RepositoryId[] | undefined;
  /** only these texts */
  readonly among?: AmongTexts;
}

interface AmongTexts {
  readonly ids: Fragment;
  readonly count: number;
  /** Looking up each of them is faster than listing the texts with the words. */
  readonly areFew: boolean;
  /** the largest and the smallest of the ids, if these are known */
  readonly newest?: number | undefined;
  readonly oldest?: number | undefined;
  /** conditions on `issues i`; present if checking each issue is faster than listing all */
  readonly check?: Fragment;
}

/**
 * The newest texts that have the words of a search. Unless the texts are short, the words of a phrase may be anywhere.
 */
interface Reach {
  readonly count: number;
  /** the smallest id of these texts */
  readonly oldest: number;
  /** No older text has the words. */
  readonly isWhole: boolean;
}

/**
 * Returns the statement that selects `id` and `repository_id` of texts, the newest first, as far as a search looks.
 *
 * @returns undefined if no text has the words
 */
export async function textsWith(db: Db, selection: TextSelection): Promise<Fragment | undefined> {
  const newest = fragment`order by id desc limit ${literal(textsMax(selection))}`;
  if (dialectOf(db) === 'postgres') return fragment`${vectorTexts(db, selection)} ${newest}`;
  const { repositoryIds } = selection;
  const [only] = repositoryIds ?? [];
  if (only !== undefined && repositoryIds !== undefined && repositoryIds.length > 1)
    return fragment`${textsOfSome(db, selection, repositoryIds)} ${newest}`;
  const reach = needsReach(selection) ? await reachOf(db, selection) : undefined;
  if (reach?.count === 0) return undefined;
  return only === undefined ? textsOfAll(selection, reach) : textsOfOne(selection, only, reach);
}

function vectorTexts(db: Db, { kind, terms, repositoryIds, among }: TextSelection): Fragment {
  const homes = repositoryIds === undefined ? [] : [repositoryIds.map((id) => [homeWord(id)])];
  const words = vectorQueryOfAny([...homes, ...terms]);
  const inRepositories =
    repositoryIds === undefined
      ? raw('')
      : fragment` and repository_id in (${listed(db, 'id', repositoryIds)})`;
  const inSet = among === undefined ? raw('') : fragment` and id in (${among.ids})`;
  return fragment`select id, repository_id from ${raw(`${kind}_texts`)}
    where words @@ cast(${words} as tsquery)${inRepositories}${inSet}`;
}

// On SQLite, a row id is two numbers: see migrations 0039 and 0046. The newest text of all, or of a repository, has the
// smallest row id. The index has the order of row ids, so a query in this order stops at the limit. A query in the
// order of an expression would sort.
const BY_TEXT = { id: raw('4294967295 - (rowid >> 31)'), repositoryId: raw('rowid & 2147483647') };
const ID_BY_REPOSITORY = raw('4294967295 - (rowid & 4294967295)');
const ID_MAX = 2 ** 32 - 1;

/**
 * Whether a search is limited to its reach. Comparing word positions costs several times as much as finding the words,
 * so phrases are compared only in the newest texts that have all words of the search. If many issues match a filter,
 * only the issues within reach are listed.
 */
function needsReach({ terms, areShort, repositoryIds, among }: TextSelection): boolean {
  if (among?.areFew === true) return false;
  const isBoundByPhrases = hasPhrases(terms) && !areShort;
  return among === undefined ? isBoundByPhrases : repositoryIds === undefined;
}

/**
 * Returns the id of the oldest issue that a search of all repositories looks at because its text has the words.
 *
 * @returns undefined if the search looks at all texts with the words
 */
export async function oldestIn(db: Db, terms: readonly WantedTerm[]): Promise<number | undefined> {
  if (dialectOf(db) === 'postgres') return undefined;
  const reach = await reachOf(db, { kind: 'issue', terms, areShort: false, repositoryIds: undefined });
  return reach.isWhole ? undefined : reach.oldest;
}

/** Whether a search of all repositories looks at all texts with the words. */
export async function reachesAll(db: Db, terms: readonly WantedTerm[]): Promise<boolean> {
  if (dialectOf(db) === 'postgres') return false;
  const ofAll = { terms, areShort: false, repositoryIds: undefined };
  const issues = await reachOf(db, { kind: 'issue', ...ofAll });
  return issues.isWhole && (await reachOf(db, { kind: 'comment', ...ofAll })).isWhole;
}

/** Finds how far back a search looks, in all repositories or in one. */
async function reachOf(db: Db, selection: Omit<TextSelection, 'among'>): Promise<Reach> {
  const { kind, terms, repositoryIds: [only] = [] } = selection;
  const table = raw(only === undefined ? `${kind}_texts` : `repository_${kind}_texts`);
  const inRange =
    only === undefined
      ? raw('')
      : fragment` and rowid >= ${rowIdIn(only, ID_MAX)} and rowid <= ${rowIdIn(only, 0)}`;
  const max = textsMax(selection);
  const words = selection.areShort ? terms : singleWords(terms);
  const row = await queryFirst<{ count: number; oldest: number | null }>(
    db,
    fragment`select count(*) as count, min(id) as oldest from (
      select ${only === undefined ? BY_TEXT.id : ID_BY_REPOSITORY} as id from ${table}
      where ${table} match ${ftsQueryOfAny(words)}${inRange} order by rowid limit ${literal(max)}) with_words`,
  );
  const { count = 0, oldest = null } = row ?? {};
  return { count, oldest: oldest ?? 0, isWhole: count < max };
}

/** The largest number of texts that a search looks at. */
function textsMax({ kind, terms, areShort, repositoryIds }: Omit<TextSelection, 'among'>): number {
  const max =
    repositoryIds === undefined ? ISSUE_LIMITS.searchedTextsAnywhereMax : ISSUE_LIMITS.searchedTextsMax;
  const ofKind = kind === 'comment' ? max / 2 : max;
  return hasPhrases(terms) && !areShort ? ofKind / 2 : ofKind;
}

/** Selects texts of all repositories. */
function textsOfAll(selection: TextSelection, reach: Reach | undefined): Fragment {
  const { kind, terms, among } = selection;
  const table = raw(`${kind}_texts`);
  const { id, repositoryId } = BY_TEXT;
  const texts = fragment`select ${id} as id, ${repositoryId} as repository_id from ${table}
    where ${table} match ${ftsQueryOfAny(terms)}`;
  if (among?.areFew === true) {
    const rowIds = fragment`select ((4294967295 - t.id) << 31) | t.repository_id from (${among.ids}) few
      cross join ${SOURCES[kind]} t where t.id = few.id`;
    return fragment`${texts} and rowid in (${rowIds}) order by rowid`;
  }
  const to =
    reach === undefined
      ? raw('')
      : fragment` and rowid <= (((4294967295 - ${reach.oldest}) << 31) | 2147483647)`;
  const found = fragment`${texts}${to} order by rowid limit ${literal(textsMax(selection))}`;
  if (among === undefined || reach === undefined || areChecked(among, reach)) return found;
  return fragment`select id, repository_id from (${found}) newest where +id in (
    select id from (${among.ids}) candidates where id >= ${reach.oldest})`;
}

/** Whether checking the filter for each text with the words is faster than listing all issues that match the filter. */
function areChecked(among: AmongTexts, { count }: Reach): boolean {
  return count * ISSUE_LIMITS.issuesListedPerCheck < among.count;
}

const SOURCES = { issue: raw('issues'), comment: raw('issue_entries') };

/** Selects texts of one repository, which are a range of row ids. */
function textsOfOne(
  selection: TextSelection,
  repositoryId: RepositoryId,
  reach: Reach | undefined,
): Fragment {
  const { kind, terms, among } = selection;
  const table = raw(`repository_${kind}_texts`);
  const texts = fragment`select ${ID_BY_REPOSITORY} as id, ${repositoryId} as repository_id from ${table}
    where ${table} match ${ftsQueryOfAny(terms)}`;
  const rowIds = fragment`select (${repositoryId} << 32) | (4294967295 - id) from (${among?.ids ?? raw('')}) candidates`;
  if (among?.areFew === true) return fragment`${texts} and rowid in (${rowIds}) order by rowid`;
  const from = fragment`rowid >= ${rowIdIn(repositoryId, among?.newest ?? ID_MAX)}`;
  const to = fragment`rowid <= ${rowIdIn(repositoryId, reach?.oldest ?? among?.oldest ?? 0)}`;
  const inList = among === undefined ? raw('') : fragment` and +rowid in (${rowIds})`;
  const checked = fragment` and exists (select 1 from issues i
    where i.id = 4294967295 - (${table}.rowid & 4294967295) and ${among?.check ?? raw('')})`;
  const inSet = among?.check === undefined ? inList : checked;
  return fragment`${texts} and ${from} and ${to}${inSet} order by rowid limit ${literal(textsMax(selection))}`;
}

/** The row id of a text of a repository. The newest text has the smallest row id. */
function rowIdIn(repositoryId: RepositoryId | Fragment, id: number): Fragment {
  return fragment`((${repositoryId} << 32) | (4294967295 - ${id}))`;
}

function hasPhrases(terms: readonly WantedTerm[]): boolean {
  return terms.some((phrases) => phrases.some((words) => words.length > 1));
}

/** Splits phrases into single words. The phrases of one term differ only in their last word. */
function singleWords(terms: readonly WantedTerm[]): readonly WantedTerm[] {
  return terms.flatMap((phrases) => [
    ...(phrases[0]?.slice(0, -1) ?? []).map((word) => [[word]]),
    phrases.map((words) => words.slice(-1)),
  ]);
}

/** Selects texts of some repositories, from one range of row ids for each. */
function textsOfSome(
  db: Db,
  { kind, terms, among }: TextSelection,
  repositoryIds: readonly RepositoryId[],
): Fragment {
  const table = raw(`repository_${kind}_texts`);
  const inSet = among === undefined ? raw('') : fragment` and ${ID_BY_REPOSITORY} in (${among.ids})`;
  return fragment`select ${ID_BY_REPOSITORY} as id, home as repository_id
    from (${listed(db, 'home', repositoryIds)}) homes cross join ${table}
    where ${table} match ${ftsQueryOfAny(terms)}
      and ${table}.rowid >= ${rowIdIn(raw('home'), ID_MAX)} and ${table}.rowid <= ${rowIdIn(raw('home'), 0)}${inSet}`;
}
