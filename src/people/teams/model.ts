import type { Level, Unit } from '../../api/access/levels.ts';
import type { Standing } from '../../api/access/standing.ts';

/** Level of a team. Only the team that owns its organization has `owner`. */
type TeamLevel = Level;

export interface Team {
  readonly id: number;
  readonly organizationId: number;
  /** in its chosen spelling; matched in any case */
  readonly name: string;
  readonly description: string;
  readonly level: TeamLevel;
  /** level on each unit of the team; absent units have none */
  readonly units: ReadonlyMap<Unit, Level>;
  readonly includesAllRepositories: boolean;
  readonly canCreateRepositories: boolean;
}

/** A team that was looked up and authorized for a viewer. */
export interface PermittedTeam {
  readonly team: Team;
  readonly organization: { readonly id: number; readonly name: string };
  /** standing of the viewer in the organization */
  readonly standing: Standing;
}

/** A change of a team. Absent fields stay unchanged, or have the default for a new team. */
export interface TeamEdit {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly level?: Exclude<TeamLevel, 'owner'> | undefined;
  /** units of the team, all at its own level */
  readonly units?: readonly Unit[] | undefined;
  /** overrides `units` */
  readonly unitLevels?: ReadonlyMap<Unit, Level> | undefined;
  readonly includesAllRepositories?: boolean | undefined;
  readonly canCreateRepositories?: boolean | undefined;
}

export type TeamFields = Omit<Team, 'id' | 'organizationId'>;

/** A team in which another server wants a user, or does not want one. */
export interface FollowedTeam {
  /** name of the organization */
  readonly organization: string;
  readonly name: string;
  readonly isWanted: boolean;
}

/** Name of the team that owns its organization. */
export const OWNERS_TEAM = 'Owners';
