import { hasBlocked } from '../../../api/access/store/blocks.ts';
import type { Db } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { queryFirst } from '../../../base/database/query.ts';

export async function isBlockedBy(
  db: Db,
  { blockerId, accountId }: { readonly blockerId: number; readonly accountId: number },
): Promise<boolean> {
  const found = await queryFirst(
    db,
    fragment`select 1 as found where ${hasBlocked(fragment`${blockerId}`, fragment`${accountId}`)}`,
  );
  return found !== undefined;
}
