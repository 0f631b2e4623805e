import { type Level, UNITS, type Unit } from '../../api/access/levels.ts';
import type { TeamEdit } from './model.ts';
import type { EditTeam } from './schema.ts';

/** Returns the name of a unit on the wire, such as `repo.code`. */
export function unitWord(unit: Unit): string {
  return `repo.${unit}`;
}

const UNIT_OF_WORD: ReadonlyMap<string, Unit> = new Map(UNITS.map((unit) => [unitWord(unit), unit]));

type GrantableLevel = Exclude<Level, 'owner'>;
const GRANTABLE: readonly GrantableLevel[] = ['none', 'read', 'write', 'admin'];

/** Parses a body. Ignores unknown units, and reads an unknown level as `none`. */
export function teamEditOf(body: EditTeam): TeamEdit {
  return {
    name: body.name,
    description: body.description,
    level: body.permission === undefined || body.permission === '' ? undefined : levelOf(body.permission),
    units: unitsOf(body.units),
    unitLevels: unitLevelsOf(body.units_map),
    includesAllRepositories: body.includes_all_repositories,
    canCreateRepositories: body.can_create_org_repo,
  };
}

/** Parses the body of a new team. An empty list of units counts as absent, so that the team has all of them. */
export function newTeamOf(body: EditTeam): TeamEdit {
  const edit = teamEditOf(body);
  return body.units?.length === 0 ? { ...edit, units: undefined } : edit;
}

/** Parses a level. No request can grant `owner`; it and unknown words count as `none`. */
function levelOf(word: string): GrantableLevel {
  return GRANTABLE.find((level) => level === word) ?? 'none';
}

function unitsOf(words: readonly string[] | undefined): readonly Unit[] | undefined {
  if (words === undefined) return undefined;
  const units = words.map((word) => UNIT_OF_WORD.get(word)).filter((unit) => unit !== undefined);
  return [...new Set(units)];
}

function unitLevelsOf(map: Readonly<Record<string, string>> | undefined): TeamEdit['unitLevels'] {
  if (map === undefined || Object.keys(map).length === 0) return undefined;
  const levels = new Map<Unit, Level>();
  for (const [word, level] of Object.entries(map)) {
    const unit = UNIT_OF_WORD.get(word);
    if (unit !== undefined) levels.set(unit, levelOf(level));
  }
  return levels;
}
