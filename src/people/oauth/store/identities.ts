import type { Db } from '../../../base/database/database.ts';

/**
 * Lists the organizations and the teams of a user, as groups: `org` and `org:team`.
 *
 * @param publicOnly whether hidden organizations are left out
 */
export async function listGroups(
  db: Db,
  {
    accountId,
    publicOnly,
    teamsMax,
  }: { readonly accountId: number; readonly publicOnly: boolean; readonly teamsMax: number },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .innerJoin('accounts as o', 'o.id', 'm.organization_id')
    .where('m.account_id', '=', accountId)
    .$if(publicOnly, (of) => of.where('o.visibility', '=', 'public'))
    .select(['o.name as organization', 't.name as team'])
    .orderBy('o.name')
    .orderBy('t.name')
    .limit(teamsMax)
    .execute();
  return [...new Set(rows.flatMap(({ organization, team }) => [organization, `${organization}:${team}`]))];
}
