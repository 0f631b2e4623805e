import { sql } from 'kysely';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { RepositoryPath } from '../model.ts';

export async function hasForkOf(tx: Tx, parentId: RepositoryId, ownerId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('repositories')
    .select('id')
    .where('parent_id', '=', parentId)
    .where('owner_id', '=', ownerId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Finds the repository of an owner that is the closest relative of another one: a fork of it, its parent, or a fork of its
 * parent.
 */
export async function findRelative(
  db: Db,
  id: RepositoryId,
  ownerLowerName: string,
): Promise<RepositoryId | undefined> {
  const owner = fragment`(select id from accounts where lower_name = ${ownerLowerName})`;
  const found = await queryFirst<{ id: RepositoryId }>(
    db,
    fragment`select id from (
      select r.id, 1 as distance from repositories r where r.parent_id = ${id} and r.owner_id = ${owner}
      union all select r.id, 2 from repositories self join repositories r on r.id = self.parent_id
        where self.id = ${id} and r.owner_id = ${owner}
      union all select r.id, 3 from repositories self join repositories r on r.parent_id = self.parent_id
        where self.id = ${id} and r.owner_id = ${owner}
    ) relatives order by distance, id limit 1`,
  );
  return found?.id;
}

/** Lists the other repositories that share history with one: its parents, their forks and its own, by path. */
export async function listFamily(db: Db, id: RepositoryId): Promise<readonly RepositoryPath[]> {
  return query<RepositoryPath>(
    db,
    fragment`with recursive
      line (id, parent_id) as (
        select id, parent_id from repositories where id = ${id}
        union select up.id, up.parent_id from repositories up join line on up.id = line.parent_id),
      family (id) as (
        select id from line
        union select fork.id from repositories fork join family on fork.parent_id = family.id)
      select accounts.name as owner, repositories.name as name
      from family
      join repositories on repositories.id = family.id
      join accounts on accounts.id = repositories.owner_id
      where repositories.id <> ${id}
      order by accounts.lower_name, repositories.lower_name`,
  );
}

export async function countFork(tx: Tx, parentId: RepositoryId): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ forks_count: sql<number>`forks_count + 1` })
    .where('id', '=', parentId)
    .execute();
}

/** Removes a fork from the count of its parent, before the repository is deleted. */
export async function uncountFork(tx: Tx, id: RepositoryId): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ forks_count: sql<number>`forks_count - 1` })
    .where('id', '=', (of) =>
      of.selectFrom('repositories as gone').select('parent_id').where('gone.id', '=', id),
    )
    .execute();
}
