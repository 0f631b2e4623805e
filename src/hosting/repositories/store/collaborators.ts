import type { Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { flag, fragment } from '../../../base/database/fragment.ts';
import { query, queryPage } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { USER_COLUMNS, type UserColumns, userOfColumns } from '../../../people/accounts/columns.ts';
import type { CollaborationLevel, Collaborator } from '../model.ts';

type CollaboratorRow = UserColumns & { level: CollaborationLevel };

/**
 * Lists all collaborators by name, also those that are hidden: a viewer of this list manages them. A token for public
 * things sees only public accounts.
 */
export function listCollaborators(
  db: Db,
  viewer: Viewer,
  id: RepositoryId,
  paging: Paging,
): Promise<Page<Collaborator>> {
  const collaborators = {
    select: fragment`${USER_COLUMNS}, c.level`,
    from: fragment`collaborations c join accounts o on o.id = c.account_id
      where c.repository_id = ${id} and (${flag(viewer.publicOnly)} = 0 or o.visibility = 'public')`,
    orderBy: fragment`o.lower_name`,
  };
  return queryPage(db, collaborators, paging, (row: CollaboratorRow) => ({
    account: userOfColumns(row),
    level: row.level,
  }));
}

export async function findCollaborationLevel(
  db: Db,
  id: RepositoryId,
  accountId: number,
): Promise<CollaborationLevel | undefined> {
  const row = await db
    .selectFrom('collaborations')
    .select('level')
    .where('repository_id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.level;
}

export async function setCollaboration(
  tx: Tx,
  collaboration: { repositoryId: RepositoryId; accountId: number; level: CollaborationLevel; at: number },
): Promise<void> {
  const { repositoryId, accountId, level, at } = collaboration;
  await tx
    .insertInto('collaborations')
    .values({ repository_id: repositoryId, account_id: accountId, level, created_at: at })
    .onConflict((conflict) => conflict.columns(['repository_id', 'account_id']).doUpdateSet({ level }))
    .execute();
}

/** Deletes the collaborations of a user in all repositories of an owner. @returns the ids of the repositories */
export async function deleteCollaborationsWith(
  tx: Tx,
  { ownerId, accountId }: { readonly ownerId: number; readonly accountId: number },
): Promise<readonly RepositoryId[]> {
  const rows = await query<{ id: RepositoryId }>(
    tx,
    fragment`delete from collaborations where account_id = ${accountId}
      and repository_id in (select r.id from repositories r where r.owner_id = ${ownerId})
    returning repository_id as id`,
  );
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}

/** Deletes the collaborations of the users whom the owner of a repository has blocked. */
export async function deleteCollaborationsOfBlocked(tx: Tx, id: RepositoryId): Promise<void> {
  await query(
    tx,
    fragment`delete from collaborations where repository_id = ${id} and account_id in (
      select b.blocked_id from blocks b join repositories r on r.owner_id = b.blocker_id where r.id = ${id})`,
  );
}

/** @returns the level that the account had; undefined if it had none */
export async function deleteCollaboration(
  tx: Tx,
  id: RepositoryId,
  accountId: number,
): Promise<CollaborationLevel | undefined> {
  const deleted = await tx
    .deleteFrom('collaborations')
    .where('repository_id', '=', id)
    .where('account_id', '=', accountId)
    .returning('level')
    .executeTakeFirst();
  return deleted?.level;
}
