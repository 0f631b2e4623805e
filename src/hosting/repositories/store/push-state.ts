import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';

/** Locks a repository until the transaction ends. @returns whether it exists */
export async function lockRepository(tx: Tx, id: RepositoryId): Promise<boolean> {
  return (await lockWriteState(tx, id)) !== undefined;
}

interface WriteState {
  readonly archivedAt: number | null;
  readonly isMirror: boolean;
  readonly isEmpty: boolean;
}

/** Reads and locks the columns that decide whether refs may move. */
export async function lockWriteState(tx: Tx, id: RepositoryId): Promise<WriteState | undefined> {
  const row = await queryFirst<{ archived_at: number | null; is_mirror: number; is_empty: number }>(
    tx,
    fragment`update repositories set updated_at = updated_at where id = ${id}
      returning archived_at, is_mirror, is_empty`,
  );
  if (row === undefined) return undefined;
  return { archivedAt: row.archived_at, isMirror: row.is_mirror === 1, isEmpty: row.is_empty === 1 };
}

/**
 * Records that refs have moved.
 *
 * @param newBytes bytes of new objects, until the repository is measured
 */
export async function setPushed(tx: Tx, id: RepositoryId, newBytes: number): Promise<void> {
  await query(
    tx,
    fragment`update repositories set updated_at = ${currentTimeMs()}, git_bytes = git_bytes + ${newBytes},
        is_empty = case when ${branchExists(id)} then 0 else 1 end
      where id = ${id}`,
  );
}

export async function hasBranches(tx: Tx, id: RepositoryId): Promise<boolean> {
  return (await queryFirst(tx, fragment`select 1 as found where ${branchExists(id)}`)) !== undefined;
}

function branchExists(id: RepositoryId): Fragment {
  return fragment`exists (select 1 from git_refs
    where repository_id = ${id} and name >= 'refs/heads/' and name < 'refs/heads0' and oid is not null)`;
}
