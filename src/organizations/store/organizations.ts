import {
  ACCOUNT_VISIBLE,
  ORGANIZATION_STANDING,
  overridesRights,
  standingOf,
  standingParameters,
  visibleParameters,
} from '../../access/held.ts';
import type { Standing } from '../../access/standing.ts';
import type { Viewer } from '../../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../accounts/columns.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery, type Scalar, type Tx } from '../../database/database.ts';
import type { HeldOrganization, Organization } from '../model.ts';

export interface OrganizationColumns extends OwnerColumns {
  repository_admins_change_teams: number;
  standing: number;
}

const COLUMNS = `${OWNER_COLUMNS}, g.repository_admins_change_teams`;
const FROM = 'from accounts o join organizations g on g.id = o.id';

const byName = hotQuery<OrganizationColumns>(
  `select ${COLUMNS}, ${ORGANIZATION_STANDING} as standing ${FROM} where o.lower_name = ?`,
);

/** One query tells what the organization is and how the viewer stands in it. */
export async function findOrganization(
  db: Db,
  viewer: Viewer,
  name: string,
): Promise<HeldOrganization | undefined> {
  const [row] = await byName(db, [...standingParameters(viewer), name.toLowerCase()]);
  if (row === undefined) return undefined;
  return { organization: organizationOf(row), standing: standingOf(row.standing) };
}

const standingById = hotQuery<{ standing: number }>(
  `select ${ORGANIZATION_STANDING} as standing ${FROM} where o.id = ?`,
);

/** undefined: no such organization */
export async function findStanding(db: Db, viewer: Viewer, id: number): Promise<Standing | undefined> {
  const [row] = await standingById(db, [...standingParameters(viewer), id]);
  return row && standingOf(row.standing);
}

const byIds = (count: number) =>
  hotQuery<OrganizationColumns>(
    `select ${COLUMNS} ${FROM} where o.id in (${Array.from({ length: count }, () => '?').join(', ')})`,
  );

/** Whoever asks. A page of them at most. */
export async function listOrganizationsById(
  db: Db,
  ids: readonly number[],
): Promise<readonly Organization[]> {
  if (ids.length === 0) return [];
  return (await byIds(ids.length)(db, ids)).map(organizationOf);
}

type Listing = (db: Db, parameters: readonly Scalar[], paging: Paging) => Promise<Page<Organization>>;

/** The ids of a page are found first, by the name's index; the rows of the page alone are read whole. */
function listing(where: string, joins = ''): Listing {
  const chosen = `from accounts o ${joins} where o.kind = 'organization' and ${where}`;
  const page = hotQuery<OrganizationColumns>(
    `select ${COLUMNS} from (select o.id ${chosen} order by o.lower_name limit ? offset ?) p
    join accounts o on o.id = p.id join organizations g on g.id = o.id order by o.lower_name`,
  );
  const count = hotQuery<{ total: number }>(`select count(*) as total ${chosen}`);
  return async (db, parameters, paging) => {
    const rows = await page(db, [...parameters, paging.limit, offsetOf(paging)]);
    const [counted] = await count(db, parameters);
    return { items: rows.map(organizationOf), total: counted?.total ?? 0 };
  };
}

const visible = listing(`${ACCOUNT_VISIBLE} = 1`);

export function listVisibleOrganizations(
  db: Db,
  viewer: Viewer,
  paging: Paging,
): Promise<Page<Organization>> {
  return visible(db, visibleParameters(viewer), paging);
}

const membershipsSeen = listing(
  `${ACCOUNT_VISIBLE} = 1 and (s.is_public = 1 or ? = 1 or exists (select 1 from organization_members v
    where v.organization_id = o.id and v.account_id = ?))`,
  'join organization_members s on s.organization_id = o.id and s.account_id = ?',
);

/** Those a user is a member of, as far as the viewer may know of the organization and of the membership. */
export function listOrganizationsOf(
  db: Db,
  viewer: Viewer,
  accountId: number,
  paging: Paging,
): Promise<Page<Organization>> {
  const seesAll = viewer.accountId === accountId || overridesRights(viewer);
  const asker = [seesAll ? 1 : 0, viewer.accountId ?? 0];
  return membershipsSeen(db, [accountId, ...visibleParameters(viewer), ...asker], paging);
}

/** @throws a unique violation where there is one already */
export async function insertOrganization(
  tx: Tx,
  id: number,
  options: { repositoryAdminsChangeTeams: boolean },
): Promise<void> {
  await tx
    .insertInto('organizations')
    .values({ id, repository_admins_change_teams: options.repositoryAdminsChangeTeams ? 1 : 0 })
    .execute();
}

/** Reads it so that who is a member and an owner does not change before the transaction ends. */
export async function lockOrganization(
  tx: Tx,
  id: number,
): Promise<{ repositoryAdminsChangeTeams: boolean } | undefined> {
  const row = await tx
    .updateTable('organizations')
    .set((set) => ({ repository_admins_change_teams: set.ref('repository_admins_change_teams') }))
    .where('id', '=', id)
    .returning('repository_admins_change_teams')
    .executeTakeFirst();
  return row && { repositoryAdminsChangeTeams: row.repository_admins_change_teams === 1 };
}

export async function setRepositoryAdminsChangeTeams(tx: Tx, id: number, value: boolean): Promise<void> {
  await tx
    .updateTable('organizations')
    .set({ repository_admins_change_teams: value ? 1 : 0 })
    .where('id', '=', id)
    .execute();
}

export function organizationOf(row: Omit<OrganizationColumns, 'standing'>): Organization {
  return {
    ...ownerOfColumns(row),
    repositoryAdminsChangeTeams: row.repository_admins_change_teams === 1,
  };
}
