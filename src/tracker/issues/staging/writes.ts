import type { InsertObject, InsertQueryBuilder, InsertResult } from 'kysely';
import type { Tx } from '../../../base/database/database.ts';
import { fragment, literal } from '../../../base/database/fragment.ts';
import { pauseInTransaction } from '../../../base/database/pause.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { Tables } from '../../../base/database/schema/index.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { Range, StagedTable } from './columns.ts';

// What both stores of staged rows do with their tables.

/** Adds staged rows. A row that is there remains. */
export async function insertStaged<Table extends keyof Tables>(
  tx: Tx,
  rows: readonly InsertObject<Tables, Table>[],
  into: (tx: Tx) => InsertQueryBuilder<Tables, Table, InsertResult>,
): Promise<void> {
  // A statement cannot have parameters for all rows of a page.
  for (let at = 0; at < rows.length; at += ISSUE_LIMITS.importedRowsAtOnce)
    await into(tx)
      .values(rows.slice(at, at + ISSUE_LIMITS.importedRowsAtOnce))
      .onConflict((c) => c.doNothing())
      .execute();
}

/** Publishes all staged rows of a table, a bounded number at a time, and lets other work run in between. */
export async function inRanges(
  tx: Tx,
  repositoryId: RepositoryId,
  table: StagedTable,
  publish: (tx: Tx, range: Range) => Promise<void>,
): Promise<void> {
  for (let from = 0; ; ) {
    const range = await nextRange(tx, table, repositoryId, from);
    if (range === undefined) return;
    await publish(tx, range);
    await pauseInTransaction(tx);
    from = range.to;
  }
}

/** Deletes some rows of the first table that has any, with their details. @returns whether there may be more */
export async function deleteStaged(
  tx: Tx,
  repositoryId: RepositoryId,
  tables: readonly StagedTable[],
): Promise<boolean> {
  for (const staged of tables) {
    const range = await nextRange(tx, staged, repositoryId, 0);
    if (range === undefined) continue;
    const { table, key, details = [] } = staged;
    for (const each of [...details, table])
      await query(
        tx,
        fragment`delete from ${each} where repository_id = ${repositoryId} and ${key} <= ${range.to}`,
      );
    return true;
  }
  return false;
}

/** Returns the next range of rows, bounded in number; undefined after the last one. */
async function nextRange(
  tx: Tx,
  { table, key }: StagedTable,
  repositoryId: RepositoryId,
  from: number,
): Promise<Range | undefined> {
  const row = await queryFirst<{ last: number | null }>(
    tx,
    fragment`select max(id) as last from (select ${key} as id from ${table}
      where repository_id = ${repositoryId} and ${key} > ${from}
      order by ${key} limit ${literal(ISSUE_LIMITS.importedRowsAtOnce)}) batch`,
  );
  const last = row?.last ?? null;
  return last === null ? undefined : { from, to: last };
}
