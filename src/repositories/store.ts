import { sql } from 'kysely';
import type { Viewer } from '../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../accounts/columns.ts';
import { offsetOf, type Page, type Paging } from '../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import type { CollaborationLevel, Collaborator, NewRepository, Repository, RepositoryPath } from './model.ts';
import { takePlace } from './store/redirects.ts';
import { columnsOfUnits, type RepositoryUnits } from './units.ts';

export async function listRepositoryIds(db: Db): Promise<readonly RepositoryId[]> {
  const rows = await db.selectFrom('repositories').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

/** Of one owner, for whoever removes them all. */
export async function listOwnedBy(
  tx: Tx,
  ownerId: number,
): Promise<readonly { id: RepositoryId; name: string }[]> {
  return tx
    .selectFrom('repositories')
    .select(['id', 'name'])
    .where('owner_id', '=', ownerId)
    .orderBy('id')
    .execute();
}

export async function findRepositoryId(db: Db, path: RepositoryPath): Promise<RepositoryId | undefined> {
  const row = await db
    .selectFrom('repositories')
    .innerJoin('accounts', 'accounts.id', 'repositories.owner_id')
    .select('repositories.id')
    .where('accounts.lower_name', '=', path.owner.toLowerCase())
    .where('repositories.lower_name', '=', path.name.toLowerCase())
    .executeTakeFirst();
  return row?.id;
}

/** The id of a repository that is about to be made: never given before, never given again. */
export async function insertIntent(tx: Tx, now: number): Promise<RepositoryId> {
  const { id } = await tx
    .insertInto('repository_intents')
    .values({ created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** @returns whether it was there: else somebody has taken the unfinished repository for abandoned */
export async function deleteIntent(tx: Tx, id: RepositoryId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('repository_intents')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function hasIntent(db: Db, id: RepositoryId): Promise<boolean> {
  const row = await db.selectFrom('repository_intents').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

export async function listIntentsBefore(db: Db, before: number): Promise<readonly RepositoryId[]> {
  const rows = await db
    .selectFrom('repository_intents')
    .select('id')
    .where('created_at', '<', before)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/**
 * What was in its place before is not found there any more.
 *
 * @throws a unique violation where the owner has a repository of this name
 */
export async function insertRepository(
  tx: Tx,
  made: {
    id: RepositoryId;
    ownerId: number;
    wanted: NewRepository & { readonly isPrivate: boolean };
    units: RepositoryUnits;
    at: number;
    /** what it is a fork of, whose refs and objects it has by now */
    parent?: Pick<Repository, 'id' | 'language' | 'sizeBytes'>;
  },
): Promise<void> {
  const { id, ownerId, wanted, units, at, parent } = made;
  const inherited =
    parent === undefined
      ? {}
      : {
          parent_id: parent.id,
          language: parent.language,
          size_bytes: parent.sizeBytes,
          is_empty: (await hasBranches(tx, id)) ? 0 : 1,
        };
  await tx
    .insertInto('repositories')
    .values({
      id,
      owner_id: ownerId,
      name: wanted.name,
      lower_name: wanted.name.toLowerCase(),
      description: wanted.description,
      lower_description: wanted.description.toLowerCase(),
      is_private: wanted.isPrivate ? 1 : 0,
      is_template: wanted.isTemplate ? 1 : 0,
      trust_model: wanted.trustModel,
      archived_at: null,
      ...columnsOfUnits(units),
      ...inherited,
      created_at: at,
      updated_at: at,
    })
    .execute();
  await takePlace(tx, { ownerId, name: wanted.name });
}

/** Holds a repository as it is until the transaction ends. @returns whether it is there */
export async function lockRepository(tx: Tx, id: RepositoryId): Promise<boolean> {
  return (await lockWriteState(tx, id)) !== undefined;
}

/** @returns whether there was such a row */
export async function deleteRepository(tx: Tx, id: RepositoryId): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('repositories').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

export interface WriteState {
  readonly archivedAt: number | null;
  readonly isMirror: boolean;
  readonly isEmpty: boolean;
}

/** What decides whether refs may move, read so that it cannot change before the transaction ends. */
export async function lockWriteState(tx: Tx, id: RepositoryId): Promise<WriteState | undefined> {
  const row = await tx
    .updateTable('repositories')
    .set({ updated_at: sql<number>`updated_at` })
    .where('id', '=', id)
    .returning(['archived_at', 'is_mirror', 'is_empty'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { archivedAt: row.archived_at, isMirror: row.is_mirror === 1, isEmpty: row.is_empty === 1 };
}

export async function setPushed(
  tx: Tx,
  id: RepositoryId,
  pushed: { at: number; isEmpty: boolean },
): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ updated_at: pushed.at, is_empty: pushed.isEmpty ? 1 : 0 })
    .where('id', '=', id)
    .execute();
}

/** @returns the size before; undefined where there is no such repository */
export async function setSizeBytes(tx: Tx, id: RepositoryId, bytes: number): Promise<number | undefined> {
  const before = await tx
    .selectFrom('repositories')
    .select('size_bytes')
    .where('id', '=', id)
    .executeTakeFirst();
  await tx.updateTable('repositories').set({ size_bytes: bytes }).where('id', '=', id).execute();
  return before?.size_bytes;
}

/** The full name of what HEAD points to. */
export async function findHead(tx: Tx, id: RepositoryId): Promise<string | undefined> {
  const row = await tx.selectFrom('git_repositories').select('head').where('id', '=', id).executeTakeFirst();
  return row?.head;
}

export async function hasBranches(tx: Tx, id: RepositoryId): Promise<boolean> {
  const row = await tx
    .selectFrom('git_refs')
    .select('name')
    .where('repository_id', '=', id)
    .where('name', '>=', 'refs/heads/')
    .where('name', '<', 'refs/heads0')
    .where('oid', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

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
