/** What a viewer may do with one repository, least first. */
export const LEVELS = ['none', 'read', 'write', 'admin', 'owner'] as const;
export type Level = (typeof LEVELS)[number];

export function reaches(held: Level, needed: Level): boolean {
  return LEVELS.indexOf(held) >= LEVELS.indexOf(needed);
}

export function rankOfLevel(level: Level): number {
  return LEVELS.indexOf(level);
}
