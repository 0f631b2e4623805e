import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, literal, raw } from '../../../base/database/fragment.ts';
import { pauseInTransaction } from '../../../base/database/pause.ts';
import { queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { ImportedAuthor } from '../models/staging.ts';

// What all tables of staged rows have in common.

/** Splits rows, because a statement cannot have parameters for all rows of a page. */
export function* partsOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += ISSUE_LIMITS.importedRowsAtOnce)
    yield rows.slice(at, at + ISSUE_LIMITS.importedRowsAtOnce);
}

export function authorColumns({ accountId, original }: ImportedAuthor) {
  return { author_id: accountId, original_author: original.name, original_author_id: original.id };
}

/** Values of the columns of an author, from staged rows `s`. An account may have been deleted since the import began. */
export const AUTHOR = raw(
  '(select a.id from accounts a where a.id = s.author_id) as author_id, s.original_author, s.original_author_id',
);

/** A table of staged rows, and the column that orders the rows of a repository. */
export interface StagedTable {
  readonly table: Fragment;
  readonly key: Fragment;
}

/** Keys after `from`, up to and including `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns the next range of rows, bounded in number; undefined after the last one. */
export async function nextRange(
  db: Db,
  { table, key }: StagedTable,
  repositoryId: RepositoryId,
  from: number,
): Promise<Range | undefined> {
  const row = await queryFirst<{ last: number | null }>(
    db,
    fragment`select max(id) as last from (select ${key} as id from ${table}
      where repository_id = ${repositoryId} and ${key} > ${from}
      order by ${key} limit ${literal(ISSUE_LIMITS.importedRowsAtOnce)}) batch`,
  );
  const last = row?.last ?? null;
  return last === null ? undefined : { from, to: last };
}

/** Publishes all staged rows of a table, a bounded number at a time, and lets other work run in between. */
export async function inRanges(
  tx: Tx,
  repositoryId: RepositoryId,
  table: StagedTable,
  publish: (range: Range) => Promise<void>,
): Promise<void> {
  for (let from = 0; ; ) {
    const range = await nextRange(tx, table, repositoryId, from);
    if (range === undefined) return;
    await publish(range);
    await pauseInTransaction(tx);
    from = range.to;
  }
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
