import type { Level } from './levels.ts';

/** A viewer's rights in an organization. */
export interface Standing {
  /** whether the viewer may learn that the organization exists */
  readonly isVisible: boolean;
  /** whether the viewer belongs to one of its teams */
  readonly isMember: boolean;
  /** the highest level of the viewer's teams; `owner` also for site administrators */
  readonly teamLevel: Level;
  readonly mayCreateRepositories: boolean;
}

/** Lowest first; a `visitor` is any viewer from whom the organization is not hidden. */
export type OrganizationRank = 'visitor' | 'member' | 'owner';

export function reachesRank(standing: Standing, needed: OrganizationRank): boolean {
  if (!standing.isVisible) return false;
  if (needed === 'visitor' || standing.teamLevel === 'owner') return true;
  return needed === 'member' && standing.isMember;
}
