import { ForgeError } from '../../../../base/core/failure.ts';
import type { Db } from '../../../../base/database/database.ts';
import type { Repository } from '../../../../hosting/repositories/model.ts';
import { trackerSettingsOf } from '../../../../hosting/repositories/units.ts';
import { findWithOpenDependency } from './store.ts';

export function usesDependencies({ units }: Repository): boolean {
  return trackerSettingsOf(units).hasDependencies;
}

/**
 * Whether dependencies allow to close an issue.
 *
 * @param repository repository of the issue
 */
export async function isClosable(db: Db, repository: Repository, issueId: number): Promise<boolean> {
  return !(await findBlocked(db, repository, [issueId])).has(issueId);
}

/**
 * Filters issues: returns the ids of those that dependencies do not allow to close.
 *
 * @param repository repository of the issues
 */
export async function findBlocked(
  db: Db,
  repository: Repository,
  issueIds: readonly number[],
): Promise<ReadonlySet<number>> {
  return usesDependencies(repository) ? findWithOpenDependency(db, issueIds) : new Set();
}

export function stillBlocked(): ForgeError {
  const what = 'the issue depends on open issues: close them first, or remove the dependencies';
  return new ForgeError({ kind: 'precondition_failed', what });
}
