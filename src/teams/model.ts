import type { Level, Unit } from '../access/levels.ts';
import type { Standing } from '../access/standing.ts';

/** What a team can be given; `owner` is of the one team alone that owns its organization. */
export type TeamLevel = Level;

export interface Team {
  readonly id: number;
  readonly organizationId: number;
  /** as it was chosen; matched whatever its case */
  readonly name: string;
  readonly description: string;
  readonly level: TeamLevel;
  /** The level on each unit that the team has; a unit that is missing is none of its units. */
  readonly units: ReadonlyMap<Unit, Level>;
  readonly includesAllRepositories: boolean;
  readonly canCreateRepositories: boolean;
}

/** A team that was looked up and authorized for a viewer. */
export interface HeldTeam {
  readonly team: Team;
  readonly organization: { readonly id: number; readonly name: string };
  /** the viewer's, in the organization */
  readonly standing: Standing;
}

/** What is absent stays as it is, or is the default for a new team. */
export interface TeamEdit {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly level?: Exclude<TeamLevel, 'owner'> | undefined;
  /** the units that the team has, all at its own level */
  readonly units?: readonly Unit[] | undefined;
  /** wins over `units` */
  readonly unitLevels?: ReadonlyMap<Unit, Level> | undefined;
  readonly includesAllRepositories?: boolean | undefined;
  readonly canCreateRepositories?: boolean | undefined;
}

export type TeamFields = Omit<Team, 'id' | 'organizationId'>;

/** The one team of each organization that owns it. */
export const OWNERS_TEAM = 'Owners';
