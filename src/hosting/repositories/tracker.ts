import type { RepositoryAction } from '../../api/access/actions.ts';
import { reaches, TRACKER_UNITS, type TrackerUnit } from '../../api/access/levels.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import { isGranted, requirePermitted } from './authorize.ts';
import type { PermittedRepository, Repository } from './model.ts';

/** An action on issues, on pull requests, or on what both share, such as labels. */
export type TrackerAction = RepositoryAction & { readonly unit: readonly TrackerUnit[] };

/** The kinds of a list. */
export type TrackerKinds = TrackerUnit | 'all';

/** An issue or a pull request. */
export interface TrackerKind {
  readonly isPull: boolean;
}

/** Returns the unit that decides about an issue or a pull request. */
export function unitOf({ isPull }: TrackerKind): TrackerUnit {
  return isPull ? 'pulls' : 'issues';
}

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

/**
 * Requires that the viewer may do `action` on an issue or a pull request of this kind.
 *
 * @param what the missing resource that the error names
 * @throws ForgeError `not_found` if the unit of the kind is switched off or hidden; as `requireTracker`
 */
export function requireKind(
  viewer: Viewer,
  permitted: PermittedRepository,
  { action, what = 'issue' }: { readonly action: TrackerAction; readonly what?: string },
  kind: TrackerKind,
): void {
  const unit = unitOf(kind);
  if (!action.unit.includes(unit) || !showsUnit(permitted, unit)) throw notFound(what);
  requireTracker(viewer, permitted, { ...action, unit: [unit] });
}

/** Whether the viewer may do `action` on such an issue in a repository of a list, without an error if not. */
export function isReadableKind(
  viewer: Viewer,
  permitted: PermittedRepository,
  action: TrackerAction,
  kind: TrackerKind,
): boolean {
  const unit = unitOf(kind);
  return (
    action.unit.includes(unit) &&
    isSwitchedOn(permitted.repository, unit) &&
    isGranted(viewer, permitted, { ...action, unit: [unit] })
  );
}

/** Whether the viewer may read the issues, or the pull requests, of a repository. */
export function showsUnit({ repository, units }: PermittedRepository, unit: TrackerUnit): boolean {
  return isSwitchedOn(repository, unit) && reaches(units[unit], 'read');
}

/**
 * Narrows the kinds that a list has to those that the viewer may read.
 *
 * @param wanted kinds that the request names
 * @throws ForgeError `not_found` if the request names a kind that is switched off or hidden
 */
export function readableKinds(
  permitted: PermittedRepository,
  { unit }: TrackerAction,
  wanted: TrackerKinds = 'all',
): TrackerKinds {
  const [first, second] = unit.filter(
    (each) => (wanted === 'all' || wanted === each) && showsUnit(permitted, each),
  );
  if (first === undefined) throw notFound('tracker');
  return second === undefined ? first : 'all';
}

export function unitsOf(kinds: TrackerKinds): readonly TrackerUnit[] {
  return kinds === 'all' ? TRACKER_UNITS : [kinds];
}

/** Issues of an external tracker are not in the repository. */
function isSwitchedOn({ units }: Repository, unit: TrackerUnit): boolean {
  return unit === 'pulls' ? units.pulls !== null : units.issues.kind === 'built-in';
}
