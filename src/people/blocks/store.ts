import type { Page, Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { queryCount, queryFirst, queryPage } from '../../base/database/query.ts';
import type { BlockedUser } from './model.ts';

interface Pair {
  readonly blockerId: number;
  readonly accountId: number;
}

/** @returns whether it was missing */
export async function insertBlock(tx: Tx, { blockerId, accountId }: Pair): Promise<boolean> {
  const inserted = await queryFirst(
    tx,
    fragment`insert into blocks (blocker_id, blocked_id, created_at)
      values (${blockerId}, ${accountId}, ${currentTimeMs()})
      on conflict (blocker_id, blocked_id) do nothing returning blocker_id`,
  );
  return inserted !== undefined;
}

/** @returns whether it existed */
export async function deleteBlock(tx: Tx, { blockerId, accountId }: Pair): Promise<boolean> {
  const deleted = await queryFirst(
    tx,
    fragment`delete from blocks where blocker_id = ${blockerId} and blocked_id = ${accountId} returning blocker_id`,
  );
  return deleted !== undefined;
}

export function countBlocks(db: Db, blockerId: number): Promise<number> {
  return queryCount(db, fragment`blocks where blocker_id = ${blockerId}`);
}

/** Lists the users whom an account has blocked, the earliest first. */
export function listBlocks(db: Db, blockerId: number, paging: Paging): Promise<Page<BlockedUser>> {
  return queryPage<{ blocked_id: number; created_at: number }, BlockedUser>(
    db,
    {
      select: fragment`b.blocked_id, b.created_at`,
      from: fragment`blocks b where b.blocker_id = ${blockerId}`,
      orderBy: fragment`b.created_at, b.blocked_id`,
    },
    paging,
    (row) => ({ accountId: row.blocked_id, createdAt: row.created_at }),
  );
}
