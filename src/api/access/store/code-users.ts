import type { Db } from '../../../base/database/database.ts';
import { fragment, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import { RANKS } from './levels.ts';
import { accountsWith } from './repository.ts';

/** Finds the active users among some accounts who may use the code of a repository at a level. */
export async function findCodeUsers(
  db: Db,
  repositoryId: number,
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
  repositoryId: number,
  { level, teamIds }: { readonly level: 'read' | 'write'; readonly teamIds: readonly number[] },
): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(
    db,
    fragment`select t.id from teams t join repositories r on r.id = ${repositoryId} and r.owner_id = t.organization_id
      where t.id in (${values(teamIds)}) and (t.level >= ${RANKS.admin} or t.code_level >= ${RANKS[level]})
        and (t.includes_all_repositories = 1 or exists (select 1 from team_repositories x
          where x.team_id = t.id and x.repository_id = r.id))`,
  );
  return rows.map(({ id }) => id);
}
