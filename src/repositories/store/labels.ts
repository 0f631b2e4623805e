import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { LabelTemplate } from '../../templates/model.ts';

export async function insertLabels(
  tx: Tx,
  id: RepositoryId,
  labels: readonly LabelTemplate[],
  at: number,
): Promise<void> {
  if (labels.length === 0) return;
  const rows = labels.map(({ name, color, description, isExclusive }) => ({
    repository_id: id,
    name,
    color,
    description,
    is_exclusive: isExclusive ? 1 : 0,
    created_at: at,
  }));
  await tx.insertInto('labels').values(rows).execute();
}

/** Copies the labels of one repository to another, in their order. */
export async function copyLabels(
  tx: Tx,
  copied: { from: RepositoryId; to: RepositoryId; at: number },
): Promise<void> {
  const { from, to, at } = copied;
  await tx
    .insertInto('labels')
    .columns(['repository_id', 'name', 'color', 'description', 'is_exclusive', 'created_at'])
    .expression((build) =>
      build
        .selectFrom('labels')
        .select([
          sql<number>`cast(${to} as bigint)`.as('repository_id'),
          'name',
          'color',
          'description',
          'is_exclusive',
          sql<number>`cast(${at} as bigint)`.as('created_at'),
        ])
        .where('repository_id', '=', from)
        .orderBy('id'),
    )
    .execute();
}
