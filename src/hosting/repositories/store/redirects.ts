import { sql } from 'kysely';
import { reaches } from '../../../api/access/levels.ts';
import { permissionsOf } from '../../../api/access/packing.ts';
import { packedPermissions, permissionJoin } from '../../../api/access/store/repository.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment } from '../../../base/database/fragment.ts';
import { queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { RepositoryPath } from '../model.ts';

/** The owner and the name of a repository: its path. */
interface OwnedName {
  readonly ownerId: number;
  readonly name: string;
}

/** Ends the redirect of a path that a repository takes. */
export async function claimName(tx: Tx, path: OwnedName): Promise<void> {
  await tx
    .deleteFrom('repository_redirects')
    .where('owner_id', '=', path.ownerId)
    .where('lower_name', '=', path.name.toLowerCase())
    .execute();
}

/** Redirects the path that a repository left, and ends the redirect of its new path. */
export async function moveName(
  tx: Tx,
  id: RepositoryId,
  { from, to }: { from: OwnedName; to: OwnedName },
): Promise<void> {
  await claimName(tx, to);
  const left = { owner_id: from.ownerId, lower_name: from.name.toLowerCase() };
  if (left.owner_id === to.ownerId && left.lower_name === to.name.toLowerCase()) return;
  const values = { repository_id: id, created_at: currentTimeMs() };
  await tx
    .insertInto('repository_redirects')
    .values({ ...left, ...values })
    .onConflict((conflict) => conflict.columns(['owner_id', 'lower_name']).doUpdateSet(values))
    .execute();
}

/** Id of the account that has a name now or had it before. */
function ownerNamed(lowerName: string): Fragment {
  return fragment`(select id from accounts where lower_name = ${lowerName}
  union all select account_id from account_redirects where lower_name = ${lowerName})`;
}

/** Finds the present path of the repository that had `path`; either of the two names may have changed. */
export async function findNewPath(
  db: Db,
  viewer: Viewer,
  path: RepositoryPath,
): Promise<RepositoryPath | undefined> {
  const owner = ownerNamed(path.owner.toLowerCase());
  const name = path.name.toLowerCase();
  const row = await queryFirst<{ owner: string; name: string; permissions: number }>(
    db,
    fragment`select o.name as owner, r.name, ${packedPermissions(viewer)} as permissions
    from repositories r join accounts o on o.id = r.owner_id ${permissionJoin(viewer)}
    where r.id in (
      select n.id from repositories n where n.owner_id in ${owner} and n.lower_name = ${name}
      union all
      select f.repository_id from repository_redirects f where f.owner_id in ${owner} and f.lower_name = ${name})`,
  );
  if (row === undefined || !reaches(permissionsOf(row.permissions).level, 'read')) return undefined;
  return { owner: row.owner, name: row.name };
}

/** Reads the path and the wiki of a repository, and locks the row until the transaction ends. */
export async function lockName(
  tx: Tx,
  id: RepositoryId,
): Promise<(OwnedName & { readonly wikiId: RepositoryId | null }) | undefined> {
  const row = await tx
    .updateTable('repositories')
    .set({ updated_at: sql<number>`updated_at` })
    .where('id', '=', id)
    .returning(['owner_id', 'name', 'wiki_id'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { ownerId: row.owner_id, name: row.name, wikiId: row.wiki_id };
}

/** @throws a unique violation if the owner has another repository of this name */
export async function setName(tx: Tx, id: RepositoryId, name: string): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ name, lower_name: name.toLowerCase(), updated_at: currentTimeMs() })
    .where('id', '=', id)
    .execute();
}

/**
 * @returns the name of the repository; undefined if `fromId` does not own it
 * @throws a unique violation if the new owner has a repository of this name
 */
export async function setOwner(
  tx: Tx,
  id: RepositoryId,
  owners: { fromId: number; toId: number },
): Promise<string | undefined> {
  const row = await tx
    .updateTable('repositories')
    .set({ owner_id: owners.toId, is_in_transfer: 0 })
    .where('id', '=', id)
    .where('owner_id', '=', owners.fromId)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}
