import type { Selectable } from 'kysely';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { fragment, raw } from '../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../base/database/query.ts';
import type { PushMirrorsTable } from '../../base/database/schema/mirrors.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Due } from '../mirrors/model.ts';
import type { PushMirror } from './model.ts';

type Row = Selectable<PushMirrorsTable>;
type NewPushMirrorRow = Omit<Row, 'id'>;

/** A push mirror with its encrypted credentials. */
interface SealedPushMirror extends PushMirror {
  readonly credentials: string | null;
}

function mirrorOf(row: Row): SealedPushMirror {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    name: row.name,
    address: row.address,
    credentials: row.credentials,
    branchFilter: row.branch_filter,
    intervalMs: row.interval_ms,
    followsPushes: row.follows_pushes === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    error: row.error,
    failures: row.failures,
  };
}

export async function insertPushMirror(tx: Tx, row: NewPushMirrorRow): Promise<PushMirror> {
  return mirrorOf(await tx.insertInto('push_mirrors').values(row).returningAll().executeTakeFirstOrThrow());
}

/** Lists the push mirrors of a repository, the oldest first. */
export function listPushMirrors(
  db: Db,
  repositoryId: RepositoryId,
  paging: Paging,
): Promise<Page<PushMirror>> {
  const from = fragment`push_mirrors where repository_id = ${repositoryId}`;
  return queryPage<Row, PushMirror>(db, { select: raw('*'), from, orderBy: raw('id') }, paging, mirrorOf);
}

export async function countPushMirrors(db: Db, repositoryId: RepositoryId): Promise<number> {
  const row = await queryFirst<{ count: number }>(
    db,
    fragment`select count(*) as count from push_mirrors where repository_id = ${repositoryId}`,
  );
  return row?.count ?? 0;
}

export async function findPushMirror(
  db: Db,
  repositoryId: RepositoryId,
  name: string,
): Promise<PushMirror | undefined> {
  const row = await queryFirst<Row>(
    db,
    fragment`select * from push_mirrors where repository_id = ${repositoryId} and name = ${name}`,
  );
  return row && mirrorOf(row);
}

export async function findPushMirrorById(db: Db, id: number): Promise<SealedPushMirror | undefined> {
  const row = await queryFirst<Row>(db, fragment`select * from push_mirrors where id = ${id}`);
  return row && mirrorOf(row);
}

export async function deletePushMirror(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('push_mirrors').where('id', '=', id).execute();
}

/**
 * Makes push mirrors of a repository due: all of them, or those that follow its pushes.
 *
 * @returns whether there are any
 */
export async function requestUpdates(
  tx: Tx,
  repositoryId: RepositoryId,
  { now, of }: { now: number; of: 'all' | 'followers' },
): Promise<boolean> {
  const followers = of === 'followers' ? fragment` and follows_pushes = 1` : fragment``;
  const requested = await query<{ id: number }>(
    tx,
    fragment`update push_mirrors set due_at = ${now}, request = request + 1
      where repository_id = ${repositoryId}${followers} returning id`,
  );
  return requested.length > 0;
}

export async function findOwnerId(db: Db, repositoryId: RepositoryId): Promise<number | undefined> {
  const row = await queryFirst<{ owner_id: number }>(
    db,
    fragment`select owner_id from repositories where id = ${repositoryId}`,
  );
  return row?.owner_id;
}

/** Lists the owners of push mirrors that are due. Those of archived repositories are not. */
export async function listDueOwners(db: Db, now: number, limit: number): Promise<readonly number[]> {
  const rows = await query<{ owner_id: number }>(
    db,
    fragment`select distinct r.owner_id from push_mirrors m join repositories r on r.id = m.repository_id
      where m.due_at <= ${now} and r.archived_at is null limit ${limit}`,
  );
  return rows.map((row) => row.owner_id);
}

/** Finds the push mirror of an owner that is due the longest. */
export function findDue(db: Db, ownerId: number, now: number): Promise<Due | undefined> {
  return queryFirst<Due>(
    db,
    fragment`select m.id, m.request from push_mirrors m join repositories r on r.id = m.repository_id
      where r.owner_id = ${ownerId} and r.archived_at is null and m.due_at <= ${now}
      order by m.due_at, m.id limit 1`,
  );
}

/** Records the end of an update. A request that has come since leaves the push mirror due. */
export async function setUpdated(
  tx: Tx,
  { id, request }: Due,
  columns: Pick<Row, 'updated_at' | 'error' | 'failures' | 'due_at'>,
): Promise<void> {
  const { due_at: dueAt, ...result } = columns;
  await query(
    tx,
    fragment`update push_mirrors set updated_at = ${result.updated_at}, error = ${result.error},
      failures = ${result.failures}, due_at = case when request = ${request} then ${dueAt} else due_at end
      where id = ${id}`,
  );
}
