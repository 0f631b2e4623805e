import { sql } from 'kysely';
import type { AccountVisibility } from '../../accounts/model.ts';
import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import { columnsOfUnits, type RepositoryUnits } from '../units.ts';

/** Settings in the repository's own row, except its name and its visibility. */
export interface Settings {
  readonly description: string;
  readonly website: string;
  readonly isTemplate: boolean;
  /** ms; null for a repository that is not archived */
  readonly archivedAt: number | null;
  readonly units: RepositoryUnits;
}

export async function setSettings(
  tx: Tx,
  id: RepositoryId,
  { description, website, isTemplate, archivedAt, units, at }: Settings & { readonly at: number },
): Promise<void> {
  const columns = {
    description,
    lower_description: description.toLowerCase(),
    website,
    is_template: isTemplate ? 1 : 0,
    archived_at: archivedAt,
  };
  await tx
    .updateTable('repositories')
    .set({ ...columns, ...columnsOfUnits(units), updated_at: at })
    .where('id', '=', id)
    .execute();
}

/** State of a parent that limits the visibility of its forks. */
export interface ParentVisibility {
  readonly isPrivate: boolean;
  readonly owner: { readonly id: number; readonly visibility: AccountVisibility };
}

/** Reads the state and locks the row until the transaction ends; undefined if the repository does not exist. */
export async function lockParentVisibility(tx: Tx, id: RepositoryId): Promise<ParentVisibility | undefined> {
  const parent = await tx
    .updateTable('repositories')
    .set({ updated_at: sql<number>`updated_at` })
    .where('id', '=', id)
    .returning(['is_private', 'owner_id'])
    .executeTakeFirst();
  if (parent === undefined) return undefined;
  const owner = await tx
    .selectFrom('accounts')
    .select(['id', 'visibility'])
    .where('id', '=', parent.owner_id)
    .executeTakeFirst();
  return owner && { isPrivate: parent.is_private === 1, owner };
}

/**
 * Changes the visibility of a repository and of its whole tree of forks. A fork stays private if it would be visible to
 * more viewers than its parent: `wouldBeSeenByMore` in `visibility.ts` has the same rule.
 *
 * @returns ids of the repositories that changed
 */
export async function setVisibility(
  tx: Tx,
  id: RepositoryId,
  { isPrivate, at }: { isPrivate: boolean; at: number },
): Promise<readonly RepositoryId[]> {
  const flag = isPrivate ? 1 : 0;
  // The statement reads the rows as they were before it: a parent that it reads as private becomes public.
  const { rows } = await sql<{ id: RepositoryId }>`
    with recursive affected(id) as (
      select id from repositories where id = ${id} and is_private <> ${flag}
      union all
      select f.id from affected a
        join repositories p on p.id = a.id
        join accounts o on o.id = p.owner_id
        join repositories f on f.parent_id = p.id
        join accounts fo on fo.id = f.owner_id
      where f.is_private <> ${flag} and (${flag} = 1 or not (
        (o.visibility = 'private' and f.owner_id <> p.owner_id)
        or (o.visibility = 'limited' and fo.visibility = 'public')))
    )
    update repositories set is_private = ${flag}, updated_at = ${at}
    where id in (select id from affected) returning id`.execute(tx);
  return rows.map((row) => row.id);
}
