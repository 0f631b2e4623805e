import { sql } from 'kysely';
import type { Tx } from '../../../base/database/database.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';

/**
 * The rule for forks: whether more users would see a public fork than its parent. No other code decides this.
 *
 * A chain of forks needs no more: a fork that is seen by no more users than its parent is seen by no more than its
 * grandparent. Expects the parent `p`, its owner `po` and the fork's owner `fo`.
 */
const IS_SEEN_BY_MORE = sql<number>`(p.is_private = 1
  or (po.visibility = 'private' and fo.id <> po.id)
  or (po.visibility = 'limited' and fo.visibility = 'public'))`;

/** A change after which forks may have to become private. */
export type ForkScope =
  /** of a repository: affects it as a fork, and its own forks */
  | { readonly repositoryId: RepositoryId }
  /** of an account: affects the forks that it owns, and the forks of its repositories */
  | { readonly ownerId: number };

/** Whether a fork of this parent for this owner must be private; undefined if one of them does not exist. */
export async function mustForkBePrivate(
  tx: Tx,
  fork: { parentId: RepositoryId; ownerId: number },
): Promise<boolean | undefined> {
  const { rows } = await sql<{ answer: number }>`
    select case when ${IS_SEEN_BY_MORE} then 1 else 0 end as answer
    from repositories p join accounts po on po.id = p.owner_id join accounts fo on fo.id = ${fork.ownerId}
    where p.id = ${fork.parentId}`.execute(tx);
  return rows[0] && rows[0].answer === 1;
}

/**
 * Makes the forks private that more users would see than their parents, with their whole trees of forks.
 *
 * @returns ids of the forks that changed
 */
export async function setForksPrivate(
  tx: Tx,
  scope: ForkScope,
  { at }: { at: number },
): Promise<readonly RepositoryId[]> {
  const { rows } = await sql<{ id: RepositoryId }>`
    with recursive candidates(id) as (${candidatesOf(scope)}),
    affected(id) as (
      select f.id from candidates c
        join repositories f on f.id = c.id
        join repositories p on p.id = f.parent_id
        join accounts po on po.id = p.owner_id
        join accounts fo on fo.id = f.owner_id
      where f.is_private = 0 and ${IS_SEEN_BY_MORE}
      union
      select f.id from affected a join repositories f on f.parent_id = a.id where f.is_private = 0
    )
    update repositories set is_private = 1, updated_at = ${at}
    where id in (select id from affected) returning id`.execute(tx);
  return rows.map((row) => row.id).sort((one, other) => one - other);
}

function candidatesOf(scope: ForkScope) {
  if ('repositoryId' in scope) {
    const { repositoryId: id } = scope;
    return sql`select id from repositories where id = ${id}
      union select id from repositories where parent_id = ${id}`;
  }
  const { ownerId } = scope;
  return sql`select id from repositories where owner_id = ${ownerId} and parent_id is not null
    union select f.id from repositories p join repositories f on f.parent_id = p.id where p.owner_id = ${ownerId}`;
}
