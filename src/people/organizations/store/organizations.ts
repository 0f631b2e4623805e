import { standingOf } from '../../../api/access/packing.ts';
import type { Standing } from '../../../api/access/standing.ts';
import { accountVisible } from '../../../api/access/store/account.ts';
import { organizationStanding } from '../../../api/access/store/organization.ts';
import { idOf, overridesRights, type Viewer } from '../../../api/access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, values } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst } from '../../../base/database/query.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../accounts/columns.ts';
import type { Organization, OrganizationRules, PermittedOrganization } from '../model.ts';

interface OrganizationColumns extends OwnerColumns {
  repository_admins_change_teams: number;
  team_admins_delete: number;
  requires_second_factor: number;
  standing: number;
}

const COLUMNS = fragment`${OWNER_COLUMNS}, g.repository_admins_change_teams, g.team_admins_delete,
  g.requires_second_factor`;
const ORGANIZATIONS = fragment`accounts o join organizations g on g.id = o.id`;

/** Finds an organization and the viewer's standing in it, in one query. */
export async function findOrganization(
  db: Db,
  viewer: Viewer,
  name: string,
): Promise<PermittedOrganization | undefined> {
  const row = await queryFirst<OrganizationColumns>(
    db,
    fragment`select ${COLUMNS}, ${organizationStanding(viewer)} as standing from ${ORGANIZATIONS}
      where o.lower_name = ${name.toLowerCase()}`,
  );
  if (row === undefined) return undefined;
  return { organization: organizationOf(row), standing: standingOf(row.standing) };
}

/** @returns undefined if the organization does not exist */
export async function findStanding(db: Db, viewer: Viewer, id: number): Promise<Standing | undefined> {
  const row = await queryFirst<{ standing: number }>(
    db,
    fragment`select ${organizationStanding(viewer)} as standing from ${ORGANIZATIONS} where o.id = ${id}`,
  );
  return row && standingOf(row.standing);
}

/**
 * Lists organizations by id, including those that are hidden from the viewer.
 *
 * @param ids at most one page
 */
export async function listOrganizationsById(
  db: Db,
  ids: readonly number[],
): Promise<readonly Organization[]> {
  if (ids.length === 0) return [];
  const rows = await query<OrganizationColumns>(
    db,
    fragment`select ${COLUMNS} from ${ORGANIZATIONS} where o.id in (${values(ids)})`,
  );
  return rows.map(organizationOf);
}

/**
 * Lists organizations `o` by name. An index of names finds the ids of a page. Only the rows of the page are read in
 * full.
 */
async function listOrganizations(db: Db, chosen: Fragment, paging: Paging): Promise<Page<Organization>> {
  const rows = await query<OrganizationColumns>(
    db,
    fragment`select ${COLUMNS} from (select o.id from ${chosen}
        order by o.lower_name limit ${paging.limit} offset ${offsetOf(paging)}) p
      join accounts o on o.id = p.id join organizations g on g.id = o.id order by o.lower_name`,
  );
  return { items: rows.map(organizationOf), total: await queryCount(db, chosen) };
}

export function listVisibleOrganizations(
  db: Db,
  viewer: Viewer,
  paging: Paging,
): Promise<Page<Organization>> {
  const visible = fragment`accounts o where o.kind = 'organization' and ${accountVisible(viewer)} = 1`;
  return listOrganizations(db, visible, paging);
}

/** Lists a user's organizations, except those that are hidden from the viewer and those whose membership is. */
export function listOrganizationsOf(
  db: Db,
  viewer: Viewer,
  accountId: number,
  paging: Paging,
): Promise<Page<Organization>> {
  const seesAll = viewer.accountId === accountId || overridesRights(viewer);
  return listOrganizations(
    db,
    fragment`accounts o join organization_members s on s.organization_id = o.id and s.account_id = ${accountId}
      where o.kind = 'organization' and ${accountVisible(viewer)} = 1
        and (s.is_public = 1 or ${flag(seesAll)} = 1 or exists (select 1 from organization_members v
          where v.organization_id = o.id and v.account_id = ${idOf(viewer)}))`,
    paging,
  );
}

/** @throws a unique violation if the organization exists */
export async function insertOrganization(tx: Tx, id: number, rules: OrganizationRules): Promise<void> {
  await tx
    .insertInto('organizations')
    .values({ id, ...columnsOf(rules) })
    .execute();
}

function columnsOf(rules: OrganizationRules) {
  const { repositoryAdminsChangeTeams, teamAdminsDelete, requiresSecondFactor } = rules;
  return {
    repository_admins_change_teams: repositoryAdminsChangeTeams ? 1 : 0,
    team_admins_delete: teamAdminsDelete ? 1 : 0,
    requires_second_factor: requiresSecondFactor ? 1 : 0,
  };
}

type RuleColumns = Pick<
  OrganizationColumns,
  'repository_admins_change_teams' | 'team_admins_delete' | 'requires_second_factor'
>;

function rulesOf(row: RuleColumns): OrganizationRules {
  return {
    repositoryAdminsChangeTeams: row.repository_admins_change_teams === 1,
    teamAdminsDelete: row.team_admins_delete === 1,
    requiresSecondFactor: row.requires_second_factor === 1,
  };
}

/** Locks an organization, so that its members and owners do not change until the transaction ends. */
export async function lockOrganization(tx: Tx, id: number): Promise<OrganizationRules | undefined> {
  const row = await tx
    .updateTable('organizations')
    .set((set) => ({ repository_admins_change_teams: set.ref('repository_admins_change_teams') }))
    .where('id', '=', id)
    .returning(['repository_admins_change_teams', 'team_admins_delete', 'requires_second_factor'])
    .executeTakeFirst();
  return row && rulesOf(row);
}

export async function setRules(tx: Tx, id: number, rules: OrganizationRules): Promise<void> {
  await tx.updateTable('organizations').set(columnsOf(rules)).where('id', '=', id).execute();
}

export function organizationOf(row: Omit<OrganizationColumns, 'standing'>): Organization {
  return { ...ownerOfColumns(row), ...rulesOf(row) };
}
