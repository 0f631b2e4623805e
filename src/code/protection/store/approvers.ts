import type { Db } from '../../../base/database/database.ts';
import { fragment, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';

/** Filters users: returns those whom the list of approvers of a protection names, alone or through a team. */
export async function findListedApprovers(
  db: Db,
  protectionId: number,
  accountIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (accountIds.length === 0) return new Set();
  const rows = await query<{ id: number }>(
    db,
    fragment`select a.account_id as id from protection_accounts a
        where a.protection_id = ${protectionId} and a.purpose = 'approve' and a.account_id in (${values(accountIds)})
      union select m.account_id from protection_teams t
        join team_members m on m.team_id = t.team_id and m.account_id in (${values(accountIds)})
        join protections p on p.id = t.protection_id
        join repositories r on r.id = p.repository_id and r.owner_id = m.organization_id
        where t.protection_id = ${protectionId} and t.purpose = 'approve'`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Filters teams: returns those that the list of approvers of a protection names. */
export async function findListedTeamsOf(
  db: Db,
  protectionId: number,
  teamIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (teamIds.length === 0) return new Set();
  const rows = await query<{ team_id: number }>(
    db,
    fragment`select t.team_id from protection_teams t where t.protection_id = ${protectionId}
      and t.purpose = 'approve' and t.team_id in (${values(teamIds)})`,
  );
  return new Set(rows.map(({ team_id: id }) => id));
}
