import { ORGANIZATION_STANDING, standingOf, standingParameters } from '../../access/held.ts';
import { type Level, rankOfLevel, UNITS } from '../../access/levels.ts';
import type { Standing } from '../../access/standing.ts';
import type { Viewer } from '../../access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery, type Scalar, type Tx } from '../../database/database.ts';
import type { TeamUnitColumns } from '../../database/schema/teams.ts';
import { type TeamRow, teamOf } from '../columns.ts';
import type { Team, TeamFields } from '../model.ts';

interface FoundRow extends TeamRow {
  organization_name: string;
  standing: number;
  is_in_team: number;
}

export interface FoundTeam {
  readonly team: Team;
  readonly organization: { readonly id: number; readonly name: string };
  readonly standing: Standing;
  /** the viewer is a member of the team */
  readonly isInTeam: boolean;
}

const byId = hotQuery<FoundRow>(
  `select t.*, o.name as organization_name, ${ORGANIZATION_STANDING} as standing,
    (select count(*) from team_members i where i.team_id = t.id and i.account_id = ?) as is_in_team
  from teams t join accounts o on o.id = t.organization_id where t.id = ?`,
);

/** One query tells what the team is and how the viewer stands to it. */
export async function findTeam(db: Db, viewer: Viewer, id: number): Promise<FoundTeam | undefined> {
  const [row] = await byId(db, [...standingParameters(viewer), viewer.accountId ?? 0, id]);
  if (row === undefined) return undefined;
  return {
    team: teamOf(row),
    organization: { id: row.organization_id, name: row.organization_name },
    standing: standingOf(row.standing),
    isInTeam: row.is_in_team > 0,
  };
}

type Listing = (db: Db, parameters: readonly Scalar[], paging: Paging) => Promise<Page<Team>>;

/** The team that owns the organization stands first, the others by name. */
function listing(from: string): Listing {
  const page = hotQuery<TeamRow>(
    `select t.* from ${from} order by t.organization_id, t.level = 4 desc, t.lower_name limit ? offset ?`,
  );
  const count = hotQuery<{ total: number }>(`select count(*) as total from ${from}`);
  return async (db, parameters, paging) => {
    const rows = await page(db, [...parameters, paging.limit, offsetOf(paging)]);
    const [counted] = await count(db, parameters);
    return { items: rows.map(teamOf), total: counted?.total ?? 0 };
  };
}

const searched = listing(`teams t where t.organization_id = ?
  and (t.lower_name like ? escape '\\' or (? = 1 and lower(t.description) like ? escape '\\'))`);

/** @param pattern SQL's `like`, of lower-case text, escaped by a backslash */
export function searchTeams(
  db: Db,
  organizationId: number,
  search: { pattern: string; inDescription: boolean },
  paging: Paging,
): Promise<Page<Team>> {
  const { pattern, inDescription } = search;
  return searched(db, [organizationId, pattern, inDescription ? 1 : 0, pattern], paging);
}

const ofMember = listing(`team_members m join teams t on t.id = m.team_id
  join accounts o on o.id = t.organization_id
  where m.account_id = ? and (? = 0 or o.visibility = 'public')`);

export function listTeamsOf(
  db: Db,
  accountId: number,
  options: { onlyPublic: boolean; paging: Paging },
): Promise<Page<Team>> {
  return ofMember(db, [accountId, options.onlyPublic ? 1 : 0], options.paging);
}

const ofRepository = listing(`teams t where t.organization_id = ? and (t.includes_all_repositories = 1
  or exists (select 1 from team_repositories x where x.team_id = t.id and x.repository_id = ?))`);

export function listTeamsOfRepository(
  db: Db,
  repository: { id: number; ownerId: number },
  paging: Paging,
): Promise<Page<Team>> {
  return ofRepository(db, [repository.ownerId, repository.id], paging);
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

/** Those of an organization that are among `ids`, by name. */
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

/** @throws a unique violation where the organization has a team of this name */
export async function insertTeam(tx: Tx, organizationId: number, fields: TeamFields): Promise<Team> {
  const row = await tx
    .insertInto('teams')
    .values({ organization_id: organizationId, created_at: Date.now(), ...columnsOf(fields) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return teamOf(row);
}

/** @throws a unique violation where the organization has another team of this name */
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

/** @returns whether the team did not have it */
export async function insertTeamRepository(tx: Tx, teamId: number, repositoryId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('team_repositories')
    .values({ team_id: teamId, repository_id: repositoryId, created_at: Date.now() })
    .onConflict((conflict) => conflict.columns(['team_id', 'repository_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** @returns whether the team had it */
export async function deleteTeamRepository(tx: Tx, teamId: number, repositoryId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('team_repositories')
    .where('team_id', '=', teamId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** @returns the teams that had it */
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
