import { LIMITS } from '../../core/limits.ts';
import { type Db, dialectOf } from '../../database/database.ts';
import { type Fragment, fragment, literal, raw } from '../../database/fragment.ts';
import { listed } from '../../database/query.ts';
import type { RepositoryId } from '../../git/model.ts';
import { ftsQueryOfAny, vectorQueryOfAny } from '../../text-search/index-text.ts';
import type { WantedTerm } from './terms.ts';
import { homeWord, type TextKind } from './words.ts';

/** Which texts a search looks at. */
export interface TextSelection {
  readonly kind: TextKind;
  /** A text has all of them. */
  readonly terms: readonly WantedTerm[];
  /** Phrases are as fast to find in them as words. */
  readonly areShort: boolean;
  /** of these repositories, each of which is looked at by itself; undefined: of all */
  readonly repositoryIds: readonly RepositoryId[] | undefined;
  /** only these: statement that selects ids of issues, or of entries */
  readonly among?: AmongTexts;
}

interface AmongTexts {
  readonly ids: Fragment;
  readonly areFew: boolean;
  /** the largest and the smallest of the ids, if these are known */
  readonly newest?: number | undefined;
  readonly oldest?: number | undefined;
}

/** Returns the statement that selects `id` and `repository_id` of texts, the newest first, as many as are looked at. */
export function textsWith(db: Db, selection: TextSelection): Fragment {
  const newest = fragment`order by id desc limit ${literal(LIMITS.searchedTextsMax)}`;
  if (dialectOf(db) === 'postgres') return fragment`${vectorTexts(db, selection)} ${newest}`;
  const { repositoryIds } = selection;
  const [only] = repositoryIds ?? [];
  if (repositoryIds === undefined || only === undefined) return textsOfAll(selection);
  if (repositoryIds.length > 1) return fragment`${textsOfSome(db, selection, repositoryIds)} ${newest}`;
  return textsOfOne(selection, only);
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

// On SQLite, a row id is two numbers: see migration 0039. An order by the row id is that of the index, which stops at the
// limit; one of an expression sorts.
const BY_TEXT = { id: raw('rowid >> 31'), repositoryId: raw('rowid & 2147483647') };
const ID_BY_REPOSITORY = raw('4294967295 - (rowid & 4294967295)');
const ID_MAX = 2 ** 32 - 1;

/** Texts of all repositories. Of a large set, only those of the newest texts are found. */
function textsOfAll({ kind, terms, areShort, among }: TextSelection): Fragment {
  const table = raw(`${kind}_texts`);
  const { id, repositoryId } = BY_TEXT;
  const texts = fragment`select ${id} as id, ${repositoryId} as repository_id from ${table} where ${table} match`;
  if (among?.areFew === true) {
    const rowIds = fragment`select (t.id << 31) | t.repository_id from (${among.ids}) few
      cross join ${SOURCES[kind]} t where t.id = few.id`;
    return fragment`${texts} ${ftsQueryOfAny(terms)} and rowid in (${rowIds}) order by rowid desc`;
  }
  const newest = fragment`order by rowid desc limit ${literal(LIMITS.searchedTextsAnywhereMax)}`;
  const bound =
    hasPhrases(terms) && !areShort
      ? fragment` and rowid >= (select min(rowid) from (
        select rowid from ${table} where ${table} match ${ftsQueryOfAny(singleWords(terms))} ${newest}) with_words)`
      : raw('');
  const found = fragment`${texts} ${ftsQueryOfAny(terms)}${bound} ${newest}`;
  if (among === undefined) return found;
  // Older candidates are not even listed.
  return fragment`with newest as materialized (${found})
    select id, repository_id from newest where +id in (
      select id from (${among.ids}) candidates where id >= (select min(id) from newest))`;
}

const SOURCES = { issue: raw('issues'), comment: raw('issue_entries') };

/** Texts of one repository: a range of row ids. */
function textsOfOne({ kind, terms, areShort, among }: TextSelection, repositoryId: RepositoryId): Fragment {
  const table = raw(`repository_${kind}_texts`);
  const limit = literal(LIMITS.searchedTextsMax);
  const texts = fragment`select ${ID_BY_REPOSITORY} as id, ${repositoryId} as repository_id from ${table}
    where ${table} match ${ftsQueryOfAny(terms)}`;
  const rowIds = fragment`select (${repositoryId} << 32) | (4294967295 - id) from (${among?.ids ?? raw('')}) candidates`;
  if (among?.areFew === true) return fragment`${texts} and rowid in (${rowIds}) order by rowid`;
  const from = fragment`rowid >= ${rowIdIn(repositoryId, among?.newest ?? ID_MAX)}`;
  const to = fragment`rowid <= ${rowIdIn(repositoryId, among?.oldest ?? 0)}`;
  const inSet = among === undefined ? raw('') : fragment` and +rowid in (${rowIds})`;
  // The index applies only one upper bound.
  const end =
    hasPhrases(terms) && !areShort && among === undefined
      ? fragment`rowid <= (select max(rowid) from (
        select rowid from ${table} where ${table} match ${ftsQueryOfAny(singleWords(terms))} and ${from} and ${to}
        order by rowid limit ${limit}) with_words)`
      : to;
  return fragment`${texts} and ${from} and ${end}${inSet} order by rowid limit ${limit}`;
}

/** The row id of a text of a repository. That of the newest text is the smallest. */
function rowIdIn(repositoryId: RepositoryId | Fragment, id: number): Fragment {
  return fragment`((${repositoryId} << 32) | (4294967295 - ${id}))`;
}

function hasPhrases(terms: readonly WantedTerm[]): boolean {
  return terms.some((phrases) => phrases.some((words) => words.length > 1));
}

/**
 * The words of all phrases as words of their own, where each phrase has the same ones before its last. To compare the
 * places of words takes longer than to find the words.
 */
function singleWords(terms: readonly WantedTerm[]): readonly WantedTerm[] {
  return terms.flatMap((phrases) => [
    ...(phrases[0]?.slice(0, -1) ?? []).map((word) => [[word]]),
    phrases.map((words) => words.slice(-1)),
  ]);
}

/** Texts of some repositories: a range of each. */
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
