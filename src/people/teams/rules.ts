import { LEVELS, type Level, rankOfLevel, reaches, UNITS, type Unit } from '../../api/access/levels.ts';
import { invalid } from '../../base/core/failure.ts';
import { isStorableText } from '../../base/core/text/text.ts';
import { ACCOUNT_LIMITS } from '../accounts/limits.ts';
import { TEAM_LIMITS } from './limits.ts';
import { OWNERS_TEAM, type Team, type TeamEdit, type TeamFields } from './model.ts';

const NAME = /^[A-Za-z0-9_.-]+$/;
/** Paths of pages have this word in place of a team's name. */
const RESERVED = 'new';

/** Fields of the first team of an organization. */
export const OWNERS_FIELDS: TeamFields = {
  name: OWNERS_TEAM,
  description: '',
  level: 'owner',
  units: new Map(UNITS.map((unit) => [unit, 'owner'])),
  includesAllRepositories: true,
  canCreateRepositories: true,
};

export function isOwners(team: Pick<Team, 'level'>): boolean {
  return team.level === 'owner';
}

/**
 * Returns the fields of a new team, with defaults.
 *
 * @throws ForgeError `invalid`
 */
export function newTeam(edit: TeamEdit & { readonly name: string }): TeamFields {
  if (edit.name === '') throw invalid('[Name]: Required');
  requireName(edit.name);
  const level = levelFor(edit, 'none');
  const { description = '', includesAllRepositories = false, canCreateRepositories = false } = edit;
  requireDescription(description);
  const units = unitsFor(edit, level) ?? everywhere(UNITS, level);
  return { name: edit.name, description, level, units, includesAllRepositories, canCreateRepositories };
}

/**
 * Returns the fields of a team after an edit. Sent fields replace the old ones. An empty name keeps the old one.
 *
 * @throws ForgeError `invalid`
 */
export function changedTeam(team: Team, edit: TeamEdit): TeamFields {
  const name = edit.name === undefined || edit.name === '' ? team.name : edit.name;
  if (name !== team.name) requireName(name);
  const { description = team.description } = edit;
  requireDescription(description);
  if (isOwners(team)) {
    if (name !== team.name) throw invalid(`the team ${OWNERS_TEAM} cannot be renamed`);
    return { ...OWNERS_FIELDS, description };
  }
  const level = levelFor(edit, team.level);
  return {
    name,
    description,
    level,
    units: unitsFor(edit, level) ?? unitsAtNewLevel(team, level),
    includesAllRepositories: edit.includesAllRepositories ?? team.includesAllRepositories,
    canCreateRepositories: edit.canCreateRepositories ?? team.canCreateRepositories,
  };
}

/** Keeps the team's units and their levels. If the team's level changes, all of them get the new one. */
function unitsAtNewLevel(team: Team, level: Level): TeamFields['units'] {
  return level === team.level ? team.units : everywhere([...team.units.keys()], level);
}

/**
 * Returns the level of a team. If the request has levels for units and its level is below admin, the result is the
 * lowest of those levels, and at most write: a team with level admin administers whole repositories, which a request
 * that names units does not intend.
 */
function levelFor(edit: TeamEdit, before: Level): Level {
  const level = edit.level ?? before;
  if (edit.unitLevels === undefined || reaches(level, 'admin')) return level;
  const given = [...edit.unitLevels]
    // These two units are on other servers, so `read` is the highest useful level.
    .filter(([unit, level]) => unit !== 'ext_issues' && unit !== 'ext_wiki' && level !== 'none')
    .map(([, level]) => rankOfLevel(level));
  return given.length === 0 ? 'none' : (LEVELS[Math.min(...given, rankOfLevel('write'))] ?? 'none');
}

/** @returns undefined if the request names no units */
function unitsFor(edit: TeamEdit, level: Level): TeamFields['units'] | undefined {
  if (edit.unitLevels !== undefined) return edit.unitLevels;
  return edit.units === undefined ? undefined : everywhere(edit.units, level);
}

function everywhere(units: readonly Unit[], level: Level): ReadonlyMap<Unit, Level> {
  return new Map(units.map((unit) => [unit, level]));
}

function requireName(name: string): void {
  if (name.length > TEAM_LIMITS.teamNameCharsMax)
    throw invalid(`[Name]: MaxSize(${TEAM_LIMITS.teamNameCharsMax})`);
  if (!NAME.test(name)) throw invalid('[Name]: AlphaDashDot');
  if (name.toLowerCase() === RESERVED) throw invalid(`name is reserved [name: ${name}]`);
}

function requireDescription(description: string): void {
  if (description.length > ACCOUNT_LIMITS.profileFieldCharsMax)
    throw invalid(`[Description]: MaxSize(${ACCOUNT_LIMITS.profileFieldCharsMax})`);
  if (!isStorableText(description)) throw invalid('[Description]: must be text without NUL');
}

/** Returns the names of the fields that differ. */
export function changedTeamFields(before: TeamFields, after: TeamFields): readonly string[] {
  const fields = [
    'name',
    'description',
    'level',
    'includesAllRepositories',
    'canCreateRepositories',
  ] as const;
  const changed: string[] = fields.filter((field) => before[field] !== after[field]);
  return isSame(before.units, after.units) ? changed : [...changed, 'units'];
}

function isSame(one: TeamFields['units'], other: TeamFields['units']): boolean {
  return one.size === other.size && [...one].every(([unit, level]) => other.get(unit) === level);
}
