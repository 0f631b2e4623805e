import { LEVELS, type Level, UNITS, type Unit } from '../../api/access/levels.ts';
import type { TeamsTable } from '../../base/database/schema/teams.ts';
import type { Team } from './model.ts';

/** A full row of `teams`, also in queries that join other tables. */
export interface TeamRow extends Omit<TeamsTable, 'id'> {
  id: number;
}

export function teamOf(row: TeamRow): Team {
  const units = UNITS.flatMap((unit): [Unit, Level][] => {
    const rank = row[`${unit}_level`];
    return rank === null ? [] : [[unit, LEVELS[rank] ?? 'none']];
  });
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    description: row.description,
    level: LEVELS[row.level] ?? 'none',
    units: new Map(units),
    includesAllRepositories: row.includes_all_repositories === 1,
    canCreateRepositories: row.can_create_repositories === 1,
  };
}
