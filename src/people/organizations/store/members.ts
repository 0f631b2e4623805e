import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { flag, fragment } from '../../../base/database/fragment.ts';
import { queryFirst, queryPage } from '../../../base/database/query.ts';
import { USER_COLUMNS, userOfColumns } from '../../accounts/columns.ts';
import type { ShownAccount } from '../../accounts/model.ts';

/** @param options.onlyPublic whether to leave out members who hide their membership */
export function listMembers(
  db: Db,
  viewer: Viewer,
  organizationId: number,
  options: { onlyPublic: boolean; paging: Paging },
): Promise<Page<ShownAccount>> {
  const members = {
    select: USER_COLUMNS,
    from: fragment`organization_members s join accounts o on o.id = s.account_id
      where s.organization_id = ${organizationId} and (s.is_public = 1 or ${flag(!options.onlyPublic)} = 1)
        and ${accountVisible(viewer)} = 1`,
    orderBy: fragment`o.lower_name`,
  };
  return queryPage(db, members, options.paging, userOfColumns);
}

export async function findMembership(
  db: Db,
  organizationId: number,
  accountId: number,
): Promise<{ isPublic: boolean } | undefined> {
  const row = await queryFirst<{ is_public: number }>(
    db,
    fragment`select is_public from organization_members
      where organization_id = ${organizationId} and account_id = ${accountId}`,
  );
  return row && { isPublic: row.is_public === 1 };
}

/** @returns whether the account was not a member before */
export async function insertMember(tx: Tx, organizationId: number, accountId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('organization_members')
    .values({
      organization_id: organizationId,
      account_id: accountId,
      created_at: currentTimeMs(),
      is_public: 0,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'account_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** @returns whether the account was a member before */
export async function deleteMember(tx: Tx, organizationId: number, accountId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('organization_members')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** @returns whether this changed the row */
export async function setMembershipPublic(
  tx: Tx,
  organizationId: number,
  accountId: number,
  isPublic: boolean,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('organization_members')
    .set({ is_public: isPublic ? 1 : 0 })
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .where('is_public', '=', isPublic ? 0 : 1)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function listOrganizationIdsOf(tx: Tx, accountId: number): Promise<readonly number[]> {
  const rows = await tx
    .selectFrom('organization_members')
    .select('organization_id')
    .where('account_id', '=', accountId)
    .orderBy('organization_id')
    .execute();
  return rows.map((row) => row.organization_id);
}

/** Lists names of members without a second factor. */
export async function listMembersWithoutFactor(
  tx: Tx,
  organizationId: number,
  namesMax: number,
): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('organization_members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select('a.name')
    .where('m.organization_id', '=', organizationId)
    .where('a.has_second_factor', '=', 0)
    .orderBy('a.lower_name')
    .limit(namesMax)
    .execute();
  return rows.map(({ name }) => name);
}

/** Lists names of the organizations of a user that require a second factor. */
export async function listRequiring(tx: Tx, accountId: number, namesMax: number): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('organization_members as m')
    .innerJoin('organizations as g', 'g.id', 'm.organization_id')
    .innerJoin('accounts as o', 'o.id', 'g.id')
    .select('o.name')
    .where('m.account_id', '=', accountId)
    .where('g.requires_second_factor', '=', 1)
    .orderBy('o.lower_name')
    .limit(namesMax)
    .execute();
  return rows.map(({ name }) => name);
}
