/** Levels of access to one repository, lowest first. */
export const LEVELS = ['none', 'read', 'write', 'admin', 'owner'] as const;
export type Level = (typeof LEVELS)[number];

/** Parts of a repository that a team can be granted separately. */
export const UNITS = [
  'code',
  'issues',
  'ext_issues',
  'pulls',
  'releases',
  'wiki',
  'ext_wiki',
  'projects',
  'packages',
  'actions',
] as const;
export type Unit = (typeof UNITS)[number];

/** The units of issues and of pull requests, which share their numbers and most of their operations. */
export const TRACKER_UNITS = ['issues', 'pulls'] as const satisfies readonly Unit[];
export type TrackerUnit = (typeof TRACKER_UNITS)[number];

/** A viewer's levels on one repository. A viewer who sees it has at least `read`, perhaps on a single unit only. */
export interface Permissions {
  /** on the repository as a whole: the highest of all levels, but a unit contributes at most `write` */
  readonly level: Level;
  readonly units: Readonly<Record<Unit, Level>>;
  /** The owner has blocked the viewer, who may read what a stranger may, and change nothing. */
  readonly isBlocked: boolean;
}

export function reaches(level: Level, needed: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(needed);
}

export function rankOfLevel(level: Level): number {
  return LEVELS.indexOf(level);
}
