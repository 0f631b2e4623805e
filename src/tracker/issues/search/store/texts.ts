import { type Db, dialectOf } from '../../../../base/database/database.ts';
import { type Fragment, fragment, literal, raw } from '../../../../base/database/fragment.ts';
import { queryCount } from '../../../../base/database/query.ts';
import { ftsQuery, vectorQuery } from '../../../../base/text-search/index-text.ts';
import type { Term } from '../../../../base/text-search/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import { repositoryWord, type TextKind } from './words.ts';

/** The texts that a search looks at, newest first. */
export interface TextSelection {
  readonly kind: TextKind;
  /** A text has all of them. */
  readonly terms: readonly Term[];
  /** only texts of these repositories; undefined: texts of all repositories */
  readonly repositoryIds: readonly RepositoryId[] | undefined;
  /** only these texts; undefined: all */
  readonly among: ListedIds | undefined;
  /** texts to look at */
  readonly countMax: number;
}

/** A list of ids of texts. */
export interface ListedIds {
  /** statement that selects them as `id` */
  readonly ids: Fragment;
  /** the smallest and the largest id */
  readonly range: { readonly oldest: number; readonly newest: number };
}

/** Returns the statement that selects the `id` of the texts. */
export function matchingTexts(db: Db, selection: TextSelection): Fragment {
  const { among } = selection;
  const lookedAt = fragment`${textsWith(db, selection)} limit ${literal(countMaxOn(db, selection))}`;
  if (among === undefined || dialectOf(db) === 'postgres') return lookedAt;
  return fragment`select id from (${lookedAt}) looked_at where +id in (${among.ids})`;
}

/** Whether more texts have the words than the search looks at. */
export async function hasMoreTexts(db: Db, selection: TextSelection): Promise<boolean> {
  const { kind, repositoryIds = [] } = selection;
  const countMax = countMaxOn(db, selection);
  const [repositoryId] = repositoryIds;
  if (repositoryId !== undefined && repositoryIds.length === 1) {
    if (await hasFewTexts(db, kind, { repositoryId, countMax })) return false;
  }
  const next = fragment`${textsWith(db, selection)} limit 1 offset ${literal(countMax)}`;
  return (await queryCount(db, fragment`(${next}) more`)) > 0;
}

/** Whether a repository has so few texts that counting the texts with the words is not needed. */
async function hasFewTexts(
  db: Db,
  kind: TextKind,
  { repositoryId, countMax }: { readonly repositoryId: RepositoryId; readonly countMax: number },
): Promise<boolean> {
  // The number of comments on lines is not stored.
  if (kind === 'line') return false;
  const reviews = fragment`select 1 as one from issue_entries e
    where e.repository_id = ${repositoryId} and e.kind = 'review' limit ${literal(countMax + 1)}`;
  const count =
    kind === 'issue'
      ? raw('last_issue_number')
      : fragment`comments_count + (select count(*) from (${reviews}) reviews)`;
  const few = fragment`repositories where id = ${repositoryId} and ${count} <= ${countMax}`;
  return (await queryCount(db, few)) > 0;
}

/** PostgreSQL takes several times as long for a text: it reads a row for each, and sorts them. */
function countMaxOn(db: Db, { countMax }: TextSelection): number {
  return dialectOf(db) === 'sqlite' ? countMax : countMax / ISSUE_LIMITS.textsSearchedLessOnPostgresql;
}

/** Selects the `id` of all texts, newest first. On SQLite, only their range is checked, because FTS5 looks up each id. */
function textsWith(db: Db, { kind, terms, repositoryIds, among }: TextSelection): Fragment {
  const repositories = (repositoryIds ?? []).map(repositoryWord);
  const table = raw(`${kind}_texts`);
  if (dialectOf(db) === 'postgres') {
    const listed = among === undefined ? raw('') : fragment` and id in (${among.ids})`;
    return fragment`select id from ${table} where words @@ cast(${vectorQuery(terms, repositories)} as tsquery)${listed}
      order by id desc`;
  }
  const inRange =
    among === undefined
      ? raw('')
      : fragment` and rowid >= ${among.range.oldest} and rowid <= ${among.range.newest}`;
  return fragment`select rowid as id from ${table} where ${table} match ${ftsQuery(terms, repositories)}${inRange}
    order by rowid desc`;
}
