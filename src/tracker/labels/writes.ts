import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Tx } from '../../base/database/database.ts';
import { fragment, values } from '../../base/database/fragment.ts';
import { query } from '../../base/database/query.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { LabelFields } from './model.ts';
import { labelColumns } from './store.ts';

/** Adds to the numbers of issues that have these labels. */
export async function addToLabelCounts(tx: Tx, ids: readonly number[], by: 1 | -1): Promise<void> {
  if (ids.length === 0) return;
  await query(
    tx,
    fragment`update labels set issues_count = issues_count + ${by} where id in (${values(ids)})`,
  );
}

/** Counts the issues of all labels of a repository. */
export async function recountLabels(tx: Tx, id: RepositoryId): Promise<void> {
  await query(
    tx,
    fragment`update labels set issues_count =
      (select count(*) from issue_labels link where link.subject_id = labels.id) where repository_id = ${id}`,
  );
}

/** A label of another server, which has an id there. */
export interface ImportedLabel extends LabelFields {
  readonly key: number;
}

/**
 * Adds the labels of another server to a repository that has none. Labels with one name become one.
 *
 * @returns ids here, by those on the other server
 */
export async function insertImportedLabels(
  tx: Tx,
  id: RepositoryId,
  labels: readonly ImportedLabel[],
): Promise<ReadonlyMap<number, number>> {
  if (labels.length === 0) return new Map();
  const at = currentTimeMs();
  const byName = new Map(labels.toReversed().map((label) => [label.name, label]));
  const rows = await tx
    .insertInto('labels')
    .values(
      [...byName.values()].toReversed().map((label) => ({
        repository_id: id,
        ...labelColumns(label),
        archived_at: label.isArchived ? at : null,
        created_at: at,
      })),
    )
    .returning(['id', 'name'])
    .execute();
  const idsByName = new Map(rows.map((row) => [row.name, row.id]));
  return new Map(
    labels.flatMap(({ key, name }) => {
      const here = idsByName.get(name);
      return here === undefined ? [] : [[key, here] as const];
    }),
  );
}
