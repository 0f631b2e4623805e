import { ACCOUNT_VISIBLE, overridesRights, seenBy, visibleParameters } from '../access/held.ts';
import type { Viewer } from '../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../accounts/columns.ts';
import type { PublicAccount } from '../accounts/model.ts';
import { offsetOf, type Page, type Paging } from '../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';

interface Mark {
  readonly accountId: number;
  readonly repositoryId: RepositoryId;
}

/** What somebody who lost a repository has of it is told to nobody; it counts again when they get it back. */
const STILL_SEEN = seenBy('mark.account_id');

type Listing = (db: Db, viewer: Viewer, id: RepositoryId, paging: Paging) => Promise<Page<PublicAccount>>;

/** Who has starred or watches a repository, the first one first: those who see it and whom the viewer may know of. */
function peopleOf(table: 'stars' | 'watches'): Listing {
  const people = `from (select mark.account_id, mark.created_at from ${table} mark
      join repositories r on r.id = mark.repository_id
      join accounts o on o.id = r.owner_id
      where mark.repository_id = ? and ${STILL_SEEN}) marked
    join accounts o on o.id = marked.account_id
    where ${ACCOUNT_VISIBLE} = 1 and (o.hides_activity = 0 or o.id = ? or ? = 1)`;
  const page = hotQuery<OwnerColumns>(
    `select ${OWNER_COLUMNS} ${people} order by marked.created_at, o.id limit ? offset ?`,
  );
  const count = hotQuery<{ total: number }>(`select count(*) as total ${people}`);
  return async (db, viewer, id, paging) => {
    const self = [viewer.accountId ?? 0, overridesRights(viewer) ? 1 : 0];
    const chosen = [id, ...visibleParameters(viewer), ...self];
    const rows = await page(db, [...chosen, paging.limit, offsetOf(paging)]);
    const [counted] = await count(db, chosen);
    return { items: rows.map(ownerOfColumns), total: counted?.total ?? 0 };
  };
}

export const listStargazers = peopleOf('stars');
export const listWatchers = peopleOf('watches');

export async function hasStar(db: Db, { accountId, repositoryId }: Mark): Promise<boolean> {
  const row = await db
    .selectFrom('stars')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns whether it was not there */
export async function insertStar(tx: Tx, { accountId, repositoryId }: Mark): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('stars')
    .values({ account_id: accountId, repository_id: repositoryId, created_at: Date.now() })
    .onConflict((conflict) => conflict.columns(['account_id', 'repository_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** @returns whether it was there */
export async function deleteStar(tx: Tx, { accountId, repositoryId }: Mark): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('stars')
    .where('account_id', '=', accountId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** @returns how many there were */
export async function deleteStarsOf(tx: Tx, repositoryId: RepositoryId): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('stars')
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export async function hasWatch(db: Db, { accountId, repositoryId }: Mark): Promise<boolean> {
  const row = await db
    .selectFrom('watches')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns whether it was not there */
export async function insertWatch(tx: Tx, { accountId, repositoryId }: Mark): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('watches')
    .values({ account_id: accountId, repository_id: repositoryId, created_at: Date.now() })
    .onConflict((conflict) => conflict.columns(['account_id', 'repository_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** @returns whether it was there */
export async function deleteWatch(tx: Tx, { accountId, repositoryId }: Mark): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('watches')
    .where('account_id', '=', accountId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const blindWatches = hotQuery<{ account_id: number }>(
  `delete from watches where repository_id = ? and account_id in (
    select mark.account_id from watches mark
      join repositories r on r.id = mark.repository_id
      join accounts o on o.id = r.owner_id
      where mark.repository_id = ? and not ${STILL_SEEN})
  returning account_id`,
);

/** Removes the watches of those who do not see the repository any more. @returns how many there were */
export async function deleteBlindWatches(tx: Tx, repositoryId: RepositoryId): Promise<number> {
  return (await blindWatches(tx, [repositoryId, repositoryId])).length;
}
