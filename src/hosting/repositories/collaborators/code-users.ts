import type { Db } from '../../../base/database/database.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { findCodeTeams, findCodeUsers } from '../store/code-users.ts';

/** Filters accounts: returns the active users who may use the code of a repository at a level. */
export async function findWithCode(
  db: Db,
  repositoryId: RepositoryId,
  { level, accountIds }: { readonly level: 'read' | 'write'; readonly accountIds: readonly number[] },
): Promise<ReadonlySet<number>> {
  if (accountIds.length === 0) return new Set();
  const different = [...new Set(accountIds)];
  return new Set(await findCodeUsers(db, repositoryId, { level, accountIds: different }));
}

/** Filters teams: returns those of the owner of a repository whose members may use its code at a level. */
export async function findTeamsWithCode(
  db: Db,
  repositoryId: RepositoryId,
  { level, teamIds }: { readonly level: 'read' | 'write'; readonly teamIds: readonly number[] },
): Promise<ReadonlySet<number>> {
  if (teamIds.length === 0) return new Set();
  return new Set(await findCodeTeams(db, repositoryId, { level, teamIds: [...new Set(teamIds)] }));
}
