import type { Tx } from '../../../base/database/database.ts';
import { fragment, literal } from '../../../base/database/fragment.ts';
import { pauseInTransaction } from '../../../base/database/pause.ts';
import { queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { Range, StagedTable } from './columns.ts';

/** Returns the next range of rows, bounded in number; undefined after the last one. */
export async function nextRange(
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
