import { sql } from 'kysely';
import { HELD_JOIN, HELD_LEVEL, heldOf, heldParameters, viewerParameter } from '../access/held.ts';
import type { Viewer } from '../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../accounts/columns.ts';
import { offsetOf, type Page, type Paging } from '../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import type {
  CollaborationLevel,
  Collaborator,
  HeldRepository,
  NewRepository,
  Repository,
  RepositoryPath,
} from './model.ts';

export interface RepositoryColumns extends OwnerColumns {
  id: number;
  name: string;
  description: string;
  website: string;
  is_private: number;
  is_template: number;
  is_mirror: number;
  is_empty: number;
  archived_at: number | null;
  size_bytes: number;
  created_at: number;
  updated_at: number;
  head: string;
  object_format: 'sha1' | 'sha256';
  held: number;
}

export const COLUMNS = `r.id, r.name, r.description, r.website, r.is_private, r.is_template, r.is_mirror, r.is_empty,
  r.archived_at, r.size_bytes, r.created_at, r.updated_at, g.head, g.object_format, ${OWNER_COLUMNS},
  ${HELD_LEVEL} as held`;

export const JOINS = `join repositories r on r.owner_id = o.id
  join git_repositories g on g.id = r.id
  ${HELD_JOIN}`;

const byPath = hotQuery<RepositoryColumns>(
  `select ${COLUMNS} from accounts o ${JOINS} where o.lower_name = ? and r.lower_name = ?`,
);

/** One query tells what the repository is and what the viewer may do with it. */
export async function findRepository(
  db: Db,
  viewer: Viewer,
  path: RepositoryPath,
): Promise<HeldRepository | undefined> {
  const names = [path.owner.toLowerCase(), path.name.toLowerCase()];
  const [row] = await byPath(db, [...heldParameters(viewer), viewerParameter(viewer), ...names]);
  return row === undefined ? undefined : heldRepositoryOf(row);
}

const byId = hotQuery<RepositoryColumns>(`select ${COLUMNS} from accounts o ${JOINS} where r.id = ?`);

export async function findRepositoryById(
  db: Db,
  viewer: Viewer,
  id: RepositoryId,
): Promise<HeldRepository | undefined> {
  const [row] = await byId(db, [...heldParameters(viewer), viewerParameter(viewer), id]);
  return row === undefined ? undefined : heldRepositoryOf(row);
}

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

export function heldRepositoryOf(row: RepositoryColumns): HeldRepository {
  return { repository: repositoryOf(row), ...heldOf(row.held) };
}

function repositoryOf(row: RepositoryColumns): Repository {
  return {
    id: row.id,
    owner: ownerOfColumns(row),
    name: row.name,
    description: row.description,
    website: row.website,
    isPrivate: row.is_private === 1,
    isTemplate: row.is_template === 1,
    isMirror: row.is_mirror === 1,
    isEmpty: row.is_empty === 1,
    archivedAt: row.archived_at,
    defaultBranch: row.head.slice('refs/heads/'.length),
    objectFormat: row.object_format,
    sizeBytes: row.size_bytes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
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

export async function listIntentsBefore(db: Db, before: number): Promise<readonly RepositoryId[]> {
  const rows = await db
    .selectFrom('repository_intents')
    .select('id')
    .where('created_at', '<', before)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/** @throws a unique violation where the owner has a repository of this name */
export async function insertRepository(
  tx: Tx,
  id: RepositoryId,
  ownerId: number,
  repository: NewRepository,
  now: number,
): Promise<void> {
  await tx
    .insertInto('repositories')
    .values({
      id,
      owner_id: ownerId,
      name: repository.name,
      lower_name: repository.name.toLowerCase(),
      description: repository.description,
      is_private: repository.isPrivate ? 1 : 0,
      is_template: repository.isTemplate ? 1 : 0,
      trust_model: repository.trustModel,
      archived_at: null,
      created_at: now,
      updated_at: now,
    })
    .execute();
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
