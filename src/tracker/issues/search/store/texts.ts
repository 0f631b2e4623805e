import { type Db, dialectOf } from '../../../../base/database/database.ts';
import { type Fragment, fragment, literal, raw } from '../../../../base/database/fragment.ts';
import { queryCount } from '../../../../base/database/query.ts';
import { ftsQueryOfAny, vectorQueryOfAny } from '../../../../base/text-search/index-text.ts';
import type { RepositoryId } from '../../../../git/model.ts';
import type { RequiredTerm } from './terms.ts';
import { repositoryWord, type TextKind } from './words.ts';

/** The texts that a search looks at, newest first. */
export interface TextSelection {
  readonly kind: TextKind;
  /** A text has all of them. */
  readonly terms: readonly RequiredTerm[];
  /** only texts of these repositories; undefined: texts of all repositories */
  readonly repositoryIds: readonly RepositoryId[] | undefined;
  /** the smallest and the largest id of the texts, if these are known */
  readonly range?: IdRange | undefined;
  /** texts to look at */
  readonly countMax: number;
}

export interface IdRange {
  readonly oldest: number;
  readonly newest: number;
}

/** Returns the statement that selects the `id` of the texts. */
export function matchingTexts(db: Db, selection: TextSelection): Fragment {
  return fragment`${textsWith(db, selection)} limit ${literal(selection.countMax)}`;
}

/** Whether more texts have the words than the search looks at. */
export async function hasMoreTexts(db: Db, selection: TextSelection): Promise<boolean> {
  const { kind, repositoryIds = [], countMax } = selection;
  const [repositoryId] = repositoryIds;
  if (repositoryId !== undefined && repositoryIds.length === 1) {
    const column = raw(kind === 'issue' ? 'last_issue_number' : 'comments_count');
    const few = fragment`repositories where id = ${repositoryId} and ${column} <= ${countMax}`;
    if ((await queryCount(db, few)) > 0) return false;
  }
  const next = fragment`${textsWith(db, selection)} limit 1 offset ${literal(countMax)}`;
  return (await queryCount(db, fragment`(${next}) more`)) > 0;
}

/** Selects the `id` of all texts, newest first. */
function textsWith(db: Db, { kind, terms, repositoryIds, range }: TextSelection): Fragment {
  const repositories =
    repositoryIds === undefined ? [] : [repositoryIds.map((each) => [repositoryWord(each)])];
  const required = [...repositories, ...terms];
  const table = raw(`${kind}_texts`);
  const isOnSqlite = dialectOf(db) === 'sqlite';
  const id = raw(isOnSqlite ? 'rowid' : 'id');
  const matches = isOnSqlite
    ? fragment`${table} match ${ftsQueryOfAny(required)}`
    : fragment`words @@ cast(${vectorQueryOfAny(required)} as tsquery)`;
  const inRange =
    range === undefined ? raw('') : fragment` and ${id} >= ${range.oldest} and ${id} <= ${range.newest}`;
  return fragment`select ${id} as id from ${table} where ${matches}${inRange} order by ${id} desc`;
}
