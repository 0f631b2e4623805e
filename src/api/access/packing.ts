import { LEVELS, type Level, type Permissions, rankOfLevel, UNITS, type Unit } from './levels.ts';
import type { Standing } from './standing.ts';

/**
 * Several levels in one number, so that one expression of a query returns them all.
 *
 * Each level is one octal digit: its rank (`none` 0, `read` 1, `write` 2, `admin` 3, `owner` 4). On a repository, digit
 * 0 is the level by ownership, collaboration or visibility. Digit 1 is the level by teams on the whole repository. The
 * digits from 2 on are the levels by teams on each unit, in the order of `UNITS`. The last digit is 1 for a viewer whom the
 * owner has blocked.
 *
 * Example: a viewer may read a public repository, and their teams give `write` on `code` and `read` on `issues`. The
 * digits, lowest first, are 1, 0, 2 and 1: `1 * 1 + 0 * 8 + 2 * 64 + 1 * 512 = 641`. `permissionsOf(641)` returns
 * `write` on `code`, `read` on everything else, and `write` as the highest level on any unit. 0 means that the
 * repository is hidden.
 */
export const BASE = 8;

/** Digits of a viewer's permissions on a repository. */
export const PERMISSION_DIGITS = {
  direct: 0,
  byTeams: 1,
  ofUnit: (unit: Unit): number => 2 + UNITS.indexOf(unit),
  blocked: 2 + UNITS.length,
} as const;

/** Digits of a viewer's standing in an organization; all but `teamLevel` are 0 or 1. */
export const STANDING_DIGITS = { visible: 0, member: 1, teamLevel: 2, mayCreate: 3 } as const;

/** Returns the number to multiply a level's rank by, to put it at a digit. */
export function weightOf(digit: number): number {
  return BASE ** digit;
}

const WRITE_RANK = rankOfLevel('write');

/** Unpacks the result of the expression `packedPermissions`. */
export function permissionsOf(packed: number): Permissions {
  return SAME_EVERYWHERE[packed] ?? unpacked(packed);
}

function unpacked(packed: number): Permissions {
  const digits = digitsOf(packed);
  const rankAt = (digit: number) => digits[digit] ?? 0;
  const whole = Math.max(rankAt(PERMISSION_DIGITS.direct), rankAt(PERMISSION_DIGITS.byTeams));
  const ranks = UNITS.map((unit) => Math.max(whole, rankAt(PERMISSION_DIGITS.ofUnit(unit))));
  const units = Object.fromEntries(UNITS.map((unit, index) => [unit, levelOfRank(ranks[index] ?? 0)]));
  // An administrator of one unit does not administer the repository: they could give themselves the other units.
  const byAnyUnit = Math.min(Math.max(...ranks), WRITE_RANK);
  return {
    level: levelOfRank(Math.max(whole, byAnyUnit)),
    units: units as Record<Unit, Level>,
    isBlocked: rankAt(PERMISSION_DIGITS.blocked) > 0,
  };
}

/** The same level on everything, by its rank: the result where no team gives anything. */
const SAME_EVERYWHERE: readonly Permissions[] = LEVELS.map((_, rank) => unpacked(rank));

/** Reads what the expression `organizationStanding` results in. */
export function standingOf(packed: number): Standing {
  const digits = digitsOf(packed);
  const digitAt = (digit: number) => digits[digit] ?? 0;
  return {
    isVisible: digitAt(STANDING_DIGITS.visible) > 0,
    isMember: digitAt(STANDING_DIGITS.member) > 0,
    teamLevel: levelOfRank(digitAt(STANDING_DIGITS.teamLevel)),
    mayCreateRepositories: digitAt(STANDING_DIGITS.mayCreate) > 0,
  };
}

function levelOfRank(rank: number): Level {
  return LEVELS[rank] ?? 'none';
}

/** Digits of a packed number, lowest first. Bit shifts would keep only 32 bits, and these numbers have more. */
function digitsOf(packed: number): readonly number[] {
  const digits: number[] = [];
  for (let rest = packed; rest > 0; rest = Math.floor(rest / BASE)) digits.push(rest % BASE);
  return digits;
}
