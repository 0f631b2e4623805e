import type { Tx } from '../../base/database/database.ts';
import { fragment, raw } from '../../base/database/fragment.ts';
import { query } from '../../base/database/query.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { MilestoneFields } from './model.ts';
import { milestoneColumns } from './store.ts';

/** Adds to the numbers of issues of a milestone. */
export async function addToMilestoneCounts(
  tx: Tx,
  id: number,
  { open = 0, closed = 0 }: { readonly open?: number; readonly closed?: number },
): Promise<void> {
  await query(
    tx,
    fragment`update milestones set open_issues_count = open_issues_count + ${open},
      closed_issues_count = closed_issues_count + ${closed} where id = ${id}`,
  );
}

/** Counts the issues of all milestones of a repository. */
export async function recountMilestones(tx: Tx, repositoryId: RepositoryId): Promise<void> {
  const counted = raw('select count(*) from issues i where i.milestone_id = milestones.id and i.is_closed =');
  await query(
    tx,
    fragment`update milestones set open_issues_count = (${counted} 0), closed_issues_count = (${counted} 1)
      where repository_id = ${repositoryId}`,
  );
}

/** A milestone of another server, which has an id and times there. */
export interface ImportedMilestone extends Omit<MilestoneFields, 'isClosed'> {
  readonly key: number;
  /** ms; null for an open milestone */
  readonly closedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Adds the milestones of another server to a repository.
 *
 * @returns ids here, by those on the other server
 */
export async function insertImportedMilestones(
  tx: Tx,
  repositoryId: RepositoryId,
  milestones: readonly ImportedMilestone[],
): Promise<ReadonlyMap<number, number>> {
  if (milestones.length === 0) return new Map();
  const rows = await tx
    .insertInto('milestones')
    .values(
      milestones.map(({ title, description, dueAt, closedAt, createdAt, updatedAt }) => ({
        repository_id: repositoryId,
        ...milestoneColumns({ title, description, dueAt, isClosed: closedAt !== null }),
        closed_at: closedAt,
        created_at: createdAt,
        updated_at: updatedAt,
      })),
    )
    .returning('id')
    .execute();
  const ids = rows.map(({ id }) => id).toSorted((one, other) => one - other);
  return new Map(milestones.map(({ key }, index) => [key, ids[index] ?? 0]));
}
