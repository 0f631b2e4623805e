import type { RepositoryAction } from '../../api/access/actions.ts';
import type { Unit } from '../../api/access/levels.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import { isGranted, requirePermitted } from './authorize.ts';
import type { PermittedRepository, Repository } from './model.ts';

/** What issues and pull requests share, such as labels, needs one of these actions. */
export type TrackerAction = RepositoryAction & { readonly unit: readonly Unit[] };

/**
 * Returns a repository that was looked up for the viewer, if issues or pull requests are switched on in it and the
 * viewer may do `action` on one of the two that is.
 *
 * @throws ForgeError `not_found` if neither is switched on, `unauthenticated`, `forbidden`
 */
export function requireTracker(
  viewer: Viewer,
  permitted: PermittedRepository,
  action: TrackerAction,
): Repository {
  const switchedOn = action.unit.filter((unit) => isSwitchedOn(permitted.repository, unit));
  if (switchedOn.length === 0) throw notFound('tracker');
  return requirePermitted(viewer, permitted, { ...action, unit: switchedOn }).repository;
}

/** Whether the viewer may do `action` in a repository of a list, without an error if not. */
export function isReadableTracker(
  viewer: Viewer,
  permitted: PermittedRepository,
  action: TrackerAction,
): boolean {
  const unit = action.unit.filter((each) => isSwitchedOn(permitted.repository, each));
  return unit.length > 0 && isGranted(viewer, permitted, { ...action, unit });
}

/** Issues of an external tracker are not in the repository. */
function isSwitchedOn({ units }: Repository, unit: Unit): boolean {
  return unit === 'pulls' ? units.pulls !== null : unit === 'issues' && units.issues.kind === 'built-in';
}
