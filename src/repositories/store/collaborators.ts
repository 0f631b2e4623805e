import type { Viewer } from '../../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../accounts/columns.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { CollaborationLevel, Collaborator } from '../model.ts';

const COLLABORATORS = `from collaborations c join accounts o on o.id = c.account_id
  where c.repository_id = ? and (? = 0 or o.visibility = 'public')`;
const collaboratorPage = hotQuery<OwnerColumns & { level: CollaborationLevel }>(
  `select ${OWNER_COLUMNS}, c.level ${COLLABORATORS} order by o.lower_name limit ? offset ?`,
);
const collaboratorCount = hotQuery<{ total: number }>(`select count(*) as total ${COLLABORATORS}`);

/** All of them, however hidden: whoever may ask decides about them. A token for public things sees those alone. */
export async function listCollaborators(
  db: Db,
  viewer: Viewer,
  id: RepositoryId,
  paging: Paging,
): Promise<Page<Collaborator>> {
  const chosen = [id, viewer.publicOnly ? 1 : 0];
  const rows = await collaboratorPage(db, [...chosen, paging.limit, offsetOf(paging)]);
  const [count] = await collaboratorCount(db, chosen);
  return {
    items: rows.map((row) => ({ account: ownerOfColumns(row), level: row.level })),
    total: count?.total ?? 0,
  };
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

export async function deleteCollaboration(tx: Tx, id: RepositoryId, accountId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('collaborations')
    .where('repository_id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
