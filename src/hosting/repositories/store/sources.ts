import type { Tx } from '../../../base/database/database.ts';
import type { RepositoryId } from '../../../git/model.ts';

/** Where a repository was copied from. */
export interface Source {
  /** without credentials */
  readonly originalUrl: string;
  /** null: the repository does not follow it */
  readonly mirror: { readonly intervalMs: number; readonly updatedAt: number } | null;
}

/** Records where a repository was copied from, in the transaction that publishes it. */
export async function setSource(tx: Tx, id: RepositoryId, { originalUrl, mirror }: Source): Promise<void> {
  const followed =
    mirror === null
      ? {}
      : { is_mirror: 1, mirror_interval_ms: mirror.intervalMs, mirror_updated_at: mirror.updatedAt };
  await tx
    .updateTable('repositories')
    .set({ original_url: originalUrl, ...followed })
    .where('id', '=', id)
    .execute();
}

export async function setMirrorInterval(tx: Tx, id: RepositoryId, intervalMs: number): Promise<void> {
  await tx.updateTable('repositories').set({ mirror_interval_ms: intervalMs }).where('id', '=', id).execute();
}

/** @param at ms, when the mirror agreed with its source */
export async function setMirrorUpdated(tx: Tx, id: RepositoryId, at: number): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ mirror_updated_at: at, mirror_error: '' })
    .where('id', '=', id)
    .execute();
}

/** @param why the last update of a mirror failed */
export async function setMirrorError(tx: Tx, id: RepositoryId, why: string): Promise<void> {
  await tx.updateTable('repositories').set({ mirror_error: why }).where('id', '=', id).execute();
}
