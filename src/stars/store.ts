import { ACCOUNT_VISIBLE, overridesRights, seenBy, visibleParameters } from '../access/held.ts';
import type { Viewer } from '../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../accounts/columns.ts';
import type { PublicAccount } from '../accounts/model.ts';
import { offsetOf, type Page, type Paging } from '../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';

/** Somebody's mark on a repository. */
export interface Mark {
  readonly accountId: number;
  readonly repositoryId: RepositoryId;
}

type MarkTable = 'stars' | 'watches';

/** The rows of one kind of marks. */
export interface MarkRows {
  has(db: Db, mark: Mark): Promise<boolean>;
  /** @returns whether it was not there */
  insert(tx: Tx, mark: Mark): Promise<boolean>;
  /** @returns whether it was there */
  delete(tx: Tx, mark: Mark): Promise<boolean>;
  /** Whose they are on a repository, the first one first: those who see it and whom the viewer may know of. */
  listPeople(db: Db, viewer: Viewer, id: RepositoryId, paging: Paging): Promise<Page<PublicAccount>>;
}

/** What somebody who lost a repository has of it is told to nobody; it counts again when they get it back. */
const STILL_SEEN = seenBy('mark.account_id');

export const STAR_ROWS = rowsOf('stars');
export const WATCH_ROWS = rowsOf('watches');

function rowsOf(table: MarkTable): MarkRows {
  const found = hotQuery(`select account_id from ${table} where account_id = ? and repository_id = ?`);
  const inserted = hotQuery(`insert into ${table} (account_id, repository_id, created_at) values (?, ?, ?)
    on conflict (account_id, repository_id) do nothing returning account_id`);
  const deleted = hotQuery(
    `delete from ${table} where account_id = ? and repository_id = ? returning account_id`,
  );
  return {
    has: async (db, mark) => (await found(db, keyOf(mark))).length > 0,
    insert: async (tx, mark) => (await inserted(tx, [...keyOf(mark), Date.now()])).length > 0,
    delete: async (tx, mark) => (await deleted(tx, keyOf(mark))).length > 0,
    listPeople: peopleOf(table),
  };
}

function keyOf({ accountId, repositoryId }: Mark): readonly [number, RepositoryId] {
  return [accountId, repositoryId];
}

function peopleOf(table: MarkTable): MarkRows['listPeople'] {
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

/** @returns how many there were */
export async function deleteStarsOf(tx: Tx, repositoryId: RepositoryId): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('stars')
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return Number(numDeletedRows);
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
