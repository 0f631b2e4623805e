import { type Fragment, fragment, raw } from '../../../base/database/fragment.ts';
import type { TrackerUnit } from '../levels.ts';
import type { Viewer } from '../viewer.ts';
import { repositoriesWith } from './repository.ts';

const SWITCHED_ON = { issues: raw("r.issues = 'built-in'"), pulls: raw('r.has_pulls = 1') };

/** Whether `repositories r` has issues, or pull requests, of its own. */
export function hasUnit(unit: TrackerUnit): Fragment {
  return SWITCHED_ON[unit];
}

/** Whether `issues i` is of a kind that is switched on in its repository, `repositories r`. */
export const IS_OF_SWITCHED_ON_UNIT = fragment`((i.is_pull = 0 and ${SWITCHED_ON.issues}) or (i.is_pull = 1 and ${SWITCHED_ON.pulls}))`;

/**
 * Statement that selects the ids of those of some repositories whose issues, or pull requests, the viewer may read.
 *
 * @param condition on `repositories r`
 */
export function repositoriesWithReadable(unit: TrackerUnit, viewer: Viewer, condition: Fragment): Fragment {
  return repositoriesWith(
    { level: 'read', units: [unit] },
    viewer,
    fragment`${condition} and ${hasUnit(unit)}`,
  );
}
