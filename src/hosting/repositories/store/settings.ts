import type { Tx } from '../../../base/database/database.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
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

export async function setPrivate(
  tx: Tx,
  id: RepositoryId,
  { isPrivate, at }: { isPrivate: boolean; at: number },
): Promise<void> {
  const columns = { is_private: isPrivate ? 1 : 0, updated_at: at };
  await tx.updateTable('repositories').set(columns).where('id', '=', id).execute();
}

export async function setMirrorInterval(tx: Tx, id: RepositoryId, intervalMs: number): Promise<void> {
  await tx.updateTable('repositories').set({ mirror_interval_ms: intervalMs }).where('id', '=', id).execute();
}
