import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { queryPage } from '../../../base/database/query.ts';
import { USER_COLUMNS, userOfColumns } from '../../accounts/columns.ts';
import type { ShownAccount } from '../../accounts/model.ts';

/** Lists the members that are visible to the viewer, by name. */
export function listTeamMembers(
  db: Db,
  viewer: Viewer,
  teamId: number,
  paging: Paging,
): Promise<Page<ShownAccount>> {
  const members = {
    select: USER_COLUMNS,
    from: fragment`team_members m join accounts o on o.id = m.account_id
      where m.team_id = ${teamId} and ${accountVisible(viewer)} = 1`,
    orderBy: fragment`o.lower_name`,
  };
  return queryPage(db, members, paging, userOfColumns);
}

export async function isTeamMember(db: Db, teamId: number, accountId: number): Promise<boolean> {
  const row = await db
    .selectFrom('team_members')
    .select('team_id')
    .where('team_id', '=', teamId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns whether the account was not a member before */
export async function insertTeamMember(
  tx: Tx,
  team: { id: number; organizationId: number },
  accountId: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('team_members')
    .values({
      team_id: team.id,
      account_id: accountId,
      organization_id: team.organizationId,
      created_at: currentTimeMs(),
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'account_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** @returns whether the account was a member before */
export async function deleteTeamMember(tx: Tx, teamId: number, accountId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('team_members')
    .where('team_id', '=', teamId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Lists the ids of an account's teams in one organization. */
export async function listTeamIdsIn(
  tx: Tx,
  organizationId: number,
  accountId: number,
): Promise<readonly number[]> {
  const rows = await tx
    .selectFrom('team_members')
    .select('team_id')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .orderBy('team_id')
    .execute();
  return rows.map((row) => row.team_id);
}

/** Lists the ids of the accounts that are in this team and in no other team of its organization. */
export async function listMembersOfNoOtherTeam(tx: Tx, teamId: number): Promise<readonly number[]> {
  const rows = await tx
    .selectFrom('team_members as m')
    .select('m.account_id')
    .where('m.team_id', '=', teamId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('team_members as other')
            .select('other.team_id')
            .whereRef('other.account_id', '=', 'm.account_id')
            .whereRef('other.organization_id', '=', 'm.organization_id')
            .where('other.team_id', '<>', teamId),
        ),
      ),
    )
    .orderBy('m.account_id')
    .execute();
  return rows.map((row) => row.account_id);
}

/** Whether the team has a member other than `accountId`. */
export async function hasOtherMember(tx: Tx, teamId: number, accountId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('team_members')
    .select('account_id')
    .where('team_id', '=', teamId)
    .where('account_id', '<>', accountId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
