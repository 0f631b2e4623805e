import type { Unit } from '../../../api/access/levels.ts';
import { UNITS } from '../../../api/access/levels.ts';
import { hasUnit } from '../../../api/access/store/trackers.ts';
import { type Fragment, fragment, joined, literal, raw } from '../../../base/database/fragment.ts';
import type { ActivityUnit } from '../model.ts';

/** The column `unit`. */
export const UNIT_CODES = { any: 0, code: 1, issues: 2, pulls: 3, releases: 4 } as const satisfies Record<
  ActivityUnit,
  number
>;

/** The units of which a reader must be able to read one. */
export const UNITS_READ: Readonly<Record<ActivityUnit, readonly Unit[]>> = {
  any: UNITS,
  code: ['code'],
  issues: ['issues'],
  pulls: ['pulls'],
  releases: ['releases'],
};

const ACTIVITY_UNITS = Object.keys(UNIT_CODES) as readonly ActivityUnit[];

/** A condition that depends on the unit of `activities a`. */
export function byUnit(condition: (unit: ActivityUnit) => Fragment): Fragment {
  const cases = ACTIVITY_UNITS.map(
    (unit) => fragment`when ${literal(UNIT_CODES[unit])} then ${condition(unit)}`,
  );
  return fragment`case a.unit ${joined(cases, ' ')} else 1 = 0 end`;
}

const SWITCHED_ON: Readonly<Record<ActivityUnit, Fragment>> = {
  any: raw('1 = 1'),
  code: raw('1 = 1'),
  issues: hasUnit('issues'),
  pulls: hasUnit('pulls'),
  releases: raw('r.has_releases = 1'),
};

/** Whether the unit of `activities a` is switched on in `repositories r`. */
export const IS_SWITCHED_ON = byUnit((unit) => SWITCHED_ON[unit]);
