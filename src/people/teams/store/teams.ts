import { type Level, rankOfLevel, UNITS } from '../../../api/access/levels.ts';
import { standingOf } from '../../../api/access/packing.ts';
import type { Standing } from '../../../api/access/standing.ts';
import { RANKS } from '../../../api/access/store/levels.ts';
import { organizationStanding } from '../../../api/access/store/organization.ts';
import { isTeamOf } from '../../../api/access/store/repository.ts';
import { idOf, type Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, values } from '../../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../../base/database/query.ts';
import type { TeamUnitColumns } from '../../../base/database/schema/teams.ts';
import { type TeamRow, teamOf } from '../columns.ts';
import type { Team, TeamFields } from '../model.ts';

interface FoundRow extends TeamRow {
  organization_name: string;
  standing: number;
  is_in_team: number;
}

interface FoundTeam {
  readonly team: Team;
  readonly organization: { readonly id: number; readonly name: string };
  readonly standing: Standing;
  /** whether the viewer is a member of the team */
  readonly isInTeam: boolean;
}

/** Finds a team and the viewer's standing in its organization, in one query. */
export async function findTeam(db: Db, viewer: Viewer, id: number): Promise<FoundTeam | undefined> {
  const row = await queryFirst<FoundRow>(
    db,
    fragment`select t.*, o.name as organization_name, ${organizationStanding(viewer)} as standing,
      (select count(*) from team_members i where i.team_id = t.id and i.account_id = ${idOf(viewer)}) as is_in_team
    from teams t join accounts o on o.id = t.organization_id where t.id = ${id}`,
  );
  if (row === undefined) return undefined;
  return {
    team: teamOf(row),
    organization: { id: row.organization_id, name: row.organization_name },
    standing: standingOf(row.standing),
    isInTeam: row.is_in_team > 0,
  };
}

/** Lists teams `t`: the owners' team of each organization first, then by name. */
function listTeams(db: Db, from: Fragment, paging: Paging): Promise<Page<Team>> {
  const orderBy = fragment`t.organization_id, t.level = ${RANKS.owner} desc, t.lower_name`;
  return queryPage(db, { select: fragment`t.*`, from, orderBy }, paging, teamOf);
}

/** @param search.pattern lower-case pattern of SQL's `like`, with backslash as escape character */
export function searchTeams(
  db: Db,
  organizationId: number,
  search: { pattern: string; inDescription: boolean },
  paging: Paging,
): Promise<Page<Team>> {
  const { pattern, inDescription } = search;
  return listTeams(
    db,
    fragment`teams t where t.organization_id = ${organizationId}
      and (t.lower_name like ${pattern} escape '\\'
        or (${flag(inDescription)} = 1 and lower(t.description) like ${pattern} escape '\\'))`,
    paging,
  );
}

export function listTeamsOf(
  db: Db,
  accountId: number,
  options: { onlyPublic: boolean; paging: Paging },
): Promise<Page<Team>> {
  return listTeams(
    db,
    fragment`team_members m join teams t on t.id = m.team_id
      join accounts o on o.id = t.organization_id
      where m.account_id = ${accountId} and (${flag(options.onlyPublic)} = 0 or o.visibility = 'public')`,
    options.paging,
  );
}

export function listTeamsOfRepository(
  db: Db,
  repository: { id: number; ownerId: number },
  paging: Paging,
): Promise<Page<Team>> {
  return listTeams(
    db,
    fragment`teams t where t.organization_id = ${repository.ownerId} and ${isTeamOf(fragment`${repository.id}`)}`,
    paging,
  );
}

export async function findTeamByName(
  db: Db,
  organizationId: number,
  name: string,
): Promise<Team | undefined> {
  const row = await db
    .selectFrom('teams')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('lower_name', '=', name.toLowerCase())
    .executeTakeFirst();
  return row && teamOf(row);
}

/** Lists the teams that have these names, with what is wanted of each, and whether the account is a member. */
export async function listTeamsNamed<Named extends { readonly organization: string; readonly name: string }>(
  db: Db,
  accountId: number,
  wanted: readonly Named[],
): Promise<readonly (Named & { readonly team: Team; readonly isMember: boolean })[]> {
  if (wanted.length === 0) return [];
  const organizations = [...new Set(wanted.map(({ organization }) => organization.toLowerCase()))];
  const names = [...new Set(wanted.map(({ name }) => name.toLowerCase()))];
  const rows = await query<TeamRow & { lower_organization: string; lower_name: string; is_in_team: number }>(
    db,
    fragment`select t.*, o.lower_name as lower_organization,
      (select count(*) from team_members i where i.team_id = t.id and i.account_id = ${accountId}) as is_in_team
    from teams t join accounts o on o.id = t.organization_id
    where o.lower_name in (${values(organizations)}) and t.lower_name in (${values(names)}) order by t.id`,
  );
  return rows.flatMap((row) =>
    wanted
      .filter(
        ({ organization, name }) =>
          organization.toLowerCase() === row.lower_organization && name.toLowerCase() === row.lower_name,
      )
      .map((each) => ({ ...each, team: teamOf(row), isMember: row.is_in_team > 0 })),
  );
}

/** Lists the teams of an organization that are among `ids`, by name. */
export async function listTeamsById(
  db: Db,
  organizationId: number,
  ids: readonly number[],
): Promise<readonly Team[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('teams')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .orderBy('lower_name')
    .execute();
  return rows.map(teamOf);
}

/** Reads a team in a transaction that holds the lock of its organization. */
export async function readTeam(tx: Tx, id: number): Promise<Team | undefined> {
  const row = await tx.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirst();
  return row && teamOf(row);
}

export async function countTeams(tx: Tx, organizationId: number): Promise<number> {
  const { total } = await tx
    .selectFrom('teams')
    .where('organization_id', '=', organizationId)
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** @throws a unique violation if the organization has a team of this name */
export async function insertTeam(tx: Tx, organizationId: number, fields: TeamFields): Promise<Team> {
  const row = await tx
    .insertInto('teams')
    .values({ organization_id: organizationId, created_at: currentTimeMs(), ...columnsOf(fields) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return teamOf(row);
}

/** @throws a unique violation if the organization has another team of this name */
export async function setTeam(tx: Tx, id: number, fields: TeamFields): Promise<Team> {
  const row = await tx
    .updateTable('teams')
    .set(columnsOf(fields))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return teamOf(row);
}

export async function deleteTeam(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('teams').where('id', '=', id).execute();
}

/** @returns whether the team did not have the repository before */
export async function insertTeamRepository(tx: Tx, teamId: number, repositoryId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('team_repositories')
    .values({ team_id: teamId, repository_id: repositoryId, created_at: currentTimeMs() })
    .onConflict((conflict) => conflict.columns(['team_id', 'repository_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** @returns whether the team had the repository before */
export async function deleteTeamRepository(tx: Tx, teamId: number, repositoryId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('team_repositories')
    .where('team_id', '=', teamId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** @returns ids of the teams that had the repository */
export async function deleteTeamsOfRepository(tx: Tx, repositoryId: number): Promise<readonly number[]> {
  const rows = await tx
    .deleteFrom('team_repositories')
    .where('repository_id', '=', repositoryId)
    .returning('team_id')
    .execute();
  return rows.map((row) => row.team_id);
}

export async function hasTeamRepository(db: Db, teamId: number, repositoryId: number): Promise<boolean> {
  const row = await db
    .selectFrom('team_repositories')
    .select('team_id')
    .where('team_id', '=', teamId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row !== undefined;
}

function columnsOf(fields: TeamFields) {
  const levels = UNITS.map((unit) => [`${unit}_level`, rankOrNull(fields.units.get(unit))]);
  return {
    name: fields.name,
    lower_name: fields.name.toLowerCase(),
    description: fields.description,
    level: rankOfLevel(fields.level),
    includes_all_repositories: fields.includesAllRepositories ? 1 : 0,
    can_create_repositories: fields.canCreateRepositories ? 1 : 0,
    ...(Object.fromEntries(levels) as unknown as TeamUnitColumns),
  };
}

function rankOrNull(level: Level | undefined): number | null {
  return level === undefined ? null : rankOfLevel(level);
}
