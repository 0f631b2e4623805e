import { type Fragment, fragment, joined, raw } from '../../../base/database/fragment.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { ImportedAuthor } from '../models/staging.ts';

// What all tables of staged rows have in common.

export function authorColumns({ accountId, original }: ImportedAuthor) {
  return { author_id: accountId, original_author: original.name, original_author_id: original.id };
}

/**
 * Values of the columns of an author, from staged rows `s`. An account may have been deleted since the import began.
 */
export const AUTHOR = raw(
  '(select a.id from accounts a where a.id = s.author_id) as author_id, s.original_author, s.original_author_id',
);

/** A table of staged rows. */
export interface StagedTable {
  readonly table: Fragment;
  /** column that orders the rows of a repository */
  readonly key: Fragment;
  /** tables with the same column, whose rows belong to those of `table` */
  readonly details?: readonly Fragment[];
}

/** Keys after `from`, up to and including `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Selects the staged rows `s` of a range. */
export function isIn(
  { key }: Pick<StagedTable, 'key'>,
  repositoryId: RepositoryId,
  { from, to }: Range,
): Fragment {
  return fragment`s.repository_id = ${repositoryId} and s.${key} > ${from} and s.${key} <= ${to}`;
}

/** A table of ids here by ids on the other server. Neither may be empty. */
export function idsHere(ids: ReadonlyMap<number, number>): Fragment {
  const rows = [...ids].map(([key, here]) => fragment`(cast(${key} as bigint), cast(${here} as bigint))`);
  return fragment`(select column1 as key, column2 as id_here from (values ${joined(rows, ', ')}) pairs)`;
}
