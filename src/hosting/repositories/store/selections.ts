import type { Slice } from '../../../base/core/paging.ts';
import { type Db, dialectOf } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../../base/database/fragment.ts';
import { listed, query, queryCount, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { RepositoryOrder } from '../selection.ts';

// Statements that find repositories by conditions on `repositories r`.

export function countOf(db: Db, condition: Fragment): Promise<number> {
  return queryCount(db, fragment`repositories r where ${condition}`);
}

/** Returns the ids of the first `limit` matches, in no particular order. */
export function firstIds(db: Db, condition: Fragment, limit: number): Promise<readonly RepositoryId[]> {
  return idsOf(db, fragment`${idsWhere(condition)} limit ${limit}`);
}

/** Returns the ids of the first `limit` rows of SQLite's trigram index that match `words`, in its query language. */
export function idsWithTrigrams(db: Db, words: string, limit: number): Promise<readonly RepositoryId[]> {
  return idsOf(
    db,
    fragment`select f.rowid as id from repository_trigrams f where repository_trigrams match ${words} limit ${limit}`,
  );
}

/** Returns a slice of the matches in an order. */
export function idsInOrder(
  db: Db,
  condition: Fragment,
  { by, isDescending }: RepositoryOrder,
  { limit, offset }: Slice,
): Promise<readonly RepositoryId[]> {
  const columns = COLUMNS_OF_ORDER[by].map((column) => `r.${column} ${isDescending ? 'desc' : 'asc'}`);
  return idsOf(
    db,
    fragment`${idsWhere(condition)} order by ${raw(columns.join(', '))} limit ${limit} offset ${offset}`,
  );
}

const COLUMNS_OF_ORDER = {
  name: ['lower_name', 'owner_lower_name'],
  creation: ['created_at', 'id'],
  change: ['updated_at', 'id'],
  size: ['size_bytes', 'id'],
  stars: ['stars_count', 'id'],
  forks: ['forks_count', 'id'],
  id: ['id'],
} as const satisfies Record<RepositoryOrder['by'], readonly string[]>;

/** Matches what any of the conditions matches. Each condition finds its rows by its own index. */
export function matchesAnyOf(conditions: readonly Fragment[]): Fragment {
  return fragment`r.id in (${joined(conditions.map(idsWhere), ' union all ')})`;
}

/** One parameter for any number of ids. */
export function isOneOf(db: Db, ids: readonly RepositoryId[]): Fragment {
  return fragment`r.id in (${listed(db, 'id', ids)})`;
}

/** A repository and who may see it: `api/access/store/facets.ts`. */
export interface Match {
  readonly id: RepositoryId;
  readonly facets: number;
}

/** Returns the first `limit` matches that are found, in the order of names. */
export function firstMatches(db: Db, condition: Fragment, limit: number): Promise<readonly Match[]> {
  return query<Match>(
    db,
    fragment`select r.id, r.facets from repositories r where r.id in (${idsWhere(condition)} limit ${limit})
      order by r.lower_name, r.owner_lower_name`,
  );
}

/** Returns a text that is another one when something has changed that a search depends on. */
export async function versionOf(db: Db): Promise<string> {
  const version =
    dialectOf(db) === 'sqlite'
      ? fragment`select version from search_versions`
      : fragment`select concat_ws(' ', max(id), count(*), sum(id)) as version from search_changes`;
  const row = await queryFirst<{ version: number | string }>(db, version);
  return `${row?.version}`;
}

function idsWhere(condition: Fragment): Fragment {
  return fragment`select r.id from repositories r where ${condition}`;
}

async function idsOf(db: Db, statement: Fragment): Promise<readonly RepositoryId[]> {
  const rows = await query<{ id: RepositoryId }>(db, statement);
  return rows.map((row) => row.id);
}
