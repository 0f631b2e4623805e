import type { Tx } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { query } from '../../base/database/query.ts';

/** Charges the deliveries of a repository to its new owner. */
export async function moveHooksOf(
  tx: Tx,
  { repositoryId, ownerId }: { readonly repositoryId: number; readonly ownerId: number },
): Promise<void> {
  await query(tx, fragment`update webhooks set share_id = ${ownerId} where repository_id = ${repositoryId}`);
}
