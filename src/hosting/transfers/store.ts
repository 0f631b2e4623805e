import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Tx } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { query } from '../../base/database/query.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { TransferRequest } from './model.ts';

/** @returns whether no transfer was pending */
export async function insertTransfer(tx: Tx, request: TransferRequest): Promise<boolean> {
  const { repositoryId, senderId, recipientId, teamIds, waitsForOwner } = request;
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('repository_transfers')
    .values({
      repository_id: repositoryId,
      doer_id: senderId,
      recipient_id: recipientId,
      waits_for_owner: waitsForOwner ? 1 : 0,
      created_at: currentTimeMs(),
    })
    .onConflict((conflict) => conflict.column('repository_id').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n || teamIds.length === 0) return numInsertedOrUpdatedRows > 0n;
  await tx
    .insertInto('repository_transfer_teams')
    .values(teamIds.map((teamId) => ({ repository_id: repositoryId, team_id: teamId })))
    .execute();
  return true;
}

export async function hasTransfer(tx: Tx, id: RepositoryId): Promise<boolean> {
  const row = await tx
    .selectFrom('repository_transfers')
    .select('repository_id')
    .where('repository_id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Deletes a pending transfer, so that no other request can answer it.
 *
 * @returns the transfer; undefined if none is pending
 */
export async function deleteTransfer(tx: Tx, id: RepositoryId): Promise<TransferRequest | undefined> {
  const teams = await tx
    .selectFrom('repository_transfer_teams')
    .select('team_id')
    .where('repository_id', '=', id)
    .execute();
  const row = await tx
    .deleteFrom('repository_transfers')
    .where('repository_id', '=', id)
    .returning(['doer_id', 'recipient_id', 'waits_for_owner'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    repositoryId: id,
    senderId: row.doer_id,
    recipientId: row.recipient_id,
    teamIds: teams.map((team) => team.team_id),
    waitsForOwner: row.waits_for_owner === 1,
  };
}

/** Lists the repositories of one of two accounts with a pending transfer to the other one, or by it. */
export async function listTransfersBetween(
  tx: Tx,
  accounts: { readonly blockerId: number; readonly accountId: number },
): Promise<readonly RepositoryId[]> {
  const { blockerId, accountId } = accounts;
  const rows = await query<{ id: RepositoryId }>(
    tx,
    fragment`select p.repository_id as id from repository_transfers p join repositories r on r.id = p.repository_id
      where (p.recipient_id = ${blockerId} and ${accountId} in (r.owner_id, p.doer_id))
        or (p.recipient_id = ${accountId} and ${blockerId} in (r.owner_id, p.doer_id))
      order by p.repository_id`,
  );
  return rows.map(({ id }) => id);
}

/** Lists the repositories with a pending transfer whose sender or recipient is the account. */
export async function listTransfersOf(tx: Tx, accountId: number): Promise<readonly RepositoryId[]> {
  const rows = await tx
    .selectFrom('repository_transfers')
    .select('repository_id')
    .where((is) => is.or([is('doer_id', '=', accountId), is('recipient_id', '=', accountId)]))
    .orderBy('repository_id')
    .execute();
  return rows.map((row) => row.repository_id);
}
