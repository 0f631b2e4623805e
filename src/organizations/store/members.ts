import { ACCOUNT_VISIBLE, visibleParameters } from '../../access/held.ts';
import type { Viewer } from '../../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../accounts/columns.ts';
import type { PublicAccount } from '../../accounts/model.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../../database/database.ts';

const MEMBERS = `from organization_members s join accounts o on o.id = s.account_id
  where s.organization_id = ? and (s.is_public = 1 or ? = 1) and ${ACCOUNT_VISIBLE} = 1`;
const page = hotQuery<OwnerColumns>(
  `select ${OWNER_COLUMNS} ${MEMBERS} order by o.lower_name limit ? offset ?`,
);
const count = hotQuery<{ total: number }>(`select count(*) as total ${MEMBERS}`);

/** @param options.onlyPublic those who show their membership to everybody */
export async function listMembers(
  db: Db,
  viewer: Viewer,
  organizationId: number,
  options: { onlyPublic: boolean; paging: Paging },
): Promise<Page<PublicAccount>> {
  const { onlyPublic, paging } = options;
  const chosen = [organizationId, onlyPublic ? 0 : 1, ...visibleParameters(viewer)];
  const rows = await page(db, [...chosen, paging.limit, offsetOf(paging)]);
  const [counted] = await count(db, chosen);
  return { items: rows.map(ownerOfColumns), total: counted?.total ?? 0 };
}

const membership = hotQuery<{ is_public: number }>(
  'select is_public from organization_members where organization_id = ? and account_id = ?',
);

export async function findMembership(
  db: Db,
  organizationId: number,
  accountId: number,
): Promise<{ isPublic: boolean } | undefined> {
  const [row] = await membership(db, [organizationId, accountId]);
  return row && { isPublic: row.is_public === 1 };
}

/** @returns whether it was missing */
export async function insertMember(tx: Tx, organizationId: number, accountId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('organization_members')
    .values({ organization_id: organizationId, account_id: accountId, created_at: Date.now(), is_public: 0 })
    .onConflict((conflict) => conflict.columns(['organization_id', 'account_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** @returns whether there was such a member */
export async function deleteMember(tx: Tx, organizationId: number, accountId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('organization_members')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** @returns whether that changed anything */
export async function setMembershipShown(
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
