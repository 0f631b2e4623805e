import { ACCOUNT_VISIBLE, visibleParameters } from '../../access/held.ts';
import type { Viewer } from '../../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../accounts/columns.ts';
import type { PublicAccount } from '../../accounts/model.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../../database/database.ts';

const MEMBERS = `from team_members m join accounts o on o.id = m.account_id
  where m.team_id = ? and ${ACCOUNT_VISIBLE} = 1`;
const page = hotQuery<OwnerColumns>(
  `select ${OWNER_COLUMNS} ${MEMBERS} order by o.lower_name limit ? offset ?`,
);
const count = hotQuery<{ total: number }>(`select count(*) as total ${MEMBERS}`);

/** By name, those that the viewer may know of. */
export async function listTeamMembers(
  db: Db,
  viewer: Viewer,
  teamId: number,
  paging: Paging,
): Promise<Page<PublicAccount>> {
  const chosen = [teamId, ...visibleParameters(viewer)];
  const rows = await page(db, [...chosen, paging.limit, offsetOf(paging)]);
  const [counted] = await count(db, chosen);
  return { items: rows.map(ownerOfColumns), total: counted?.total ?? 0 };
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

/** @returns whether the account was no member of it */
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
      created_at: Date.now(),
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'account_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** @returns whether the account was a member of it */
export async function deleteTeamMember(tx: Tx, teamId: number, accountId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('team_members')
    .where('team_id', '=', teamId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ids of the teams of one organization that somebody is in. */
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

/** Those who are in this team and in no other one of its organization. */
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

/** Whether somebody else than `accountId` is in the team. */
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
