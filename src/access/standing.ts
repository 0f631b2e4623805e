import type { Level } from './levels.ts';

/** How a viewer stands in an organization. */
export interface Standing {
  /** whether the viewer may know that it exists */
  readonly isVisible: boolean;
  /** in one of its teams */
  readonly isMember: boolean;
  /** the highest level of the viewer's teams; `owner` for site administrators, too */
  readonly teamLevel: Level;
  readonly mayCreateRepositories: boolean;
}

export type OrganizationRank = 'visitor' | 'member' | 'owner';

export function reachesRank(standing: Standing, needed: OrganizationRank): boolean {
  if (!standing.isVisible) return false;
  if (needed === 'visitor' || standing.teamLevel === 'owner') return true;
  return needed === 'member' && standing.isMember;
}
