import { RANKS } from '../../../api/access/store/levels.ts';
import { accountsWith, isTeamOf } from '../../../api/access/store/repository.ts';
import type { Db } from '../../../base/database/database.ts';
import { fragment, raw, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';

/** Finds the active users among some accounts who may use the code of a repository at a level. */
export async function findCodeUsers(
  db: Db,
  repositoryId: RepositoryId,
  { level, accountIds }: { readonly level: 'read' | 'write'; readonly accountIds: readonly number[] },
): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(
    db,
    accountsWith({ level, units: ['code'] }, repositoryId, values(accountIds)),
  );
  return rows.map(({ id }) => id);
}

/** Finds the teams of the owner of a repository among some teams whose members may use its code at a level. */
export async function findCodeTeams(
  db: Db,
  repositoryId: RepositoryId,
  { level, teamIds }: { readonly level: 'read' | 'write'; readonly teamIds: readonly number[] },
): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(
    db,
    fragment`select t.id from teams t join repositories r on r.id = ${repositoryId} and r.owner_id = t.organization_id
      where t.id in (${values(teamIds)}) and (t.level >= ${RANKS.admin} or t.code_level >= ${RANKS[level]})
        and ${isTeamOf(raw('r.id'))}`,
  );
  return rows.map(({ id }) => id);
}
