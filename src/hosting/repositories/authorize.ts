import type { RepositoryAction } from '../../api/access/actions.ts';
import { requireGranted, whyMissing } from '../../api/access/guard.ts';
import { reaches } from '../../api/access/levels.ts';
import { decide, missingScopes, scopesOf } from '../../api/access/policy.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError, notFound } from '../../base/core/failure.ts';
import type { PermittedRepository } from './model.ts';

/**
 * Returns the repository that was looked up for the viewer, if the viewer may do `action` with it.
 *
 * @throws ForgeError `not_found` (missing or hidden), `unauthenticated`, `forbidden`
 */
export function requirePermitted(
  viewer: Viewer,
  found: PermittedRepository | undefined,
  action: RepositoryAction,
): PermittedRepository {
  if (found === undefined) throw notFound('repository');
  const ownerKind = found.repository.owner.kind;
  const decision = decide(viewer, action, found, ownerKind);
  const isDenied = decision !== 'granted' && decision !== 'hidden';
  if (isDenied && action.whyWithoutCode !== undefined && !reaches(found.units.code, 'read'))
    throw new ForgeError({ kind: 'forbidden', what: action.whyWithoutCode, reason: 'code' });
  const missing = missingScopes(viewer, scopesOf(action, ownerKind));
  requireGranted(decision, action, missing.length > 0 ? whyMissing(missing) : undefined);
  return found;
}

/** Whether the viewer may do `action` on the repository that was looked up for the viewer. */
export function isGranted(viewer: Viewer, found: PermittedRepository, action: RepositoryAction): boolean {
  return decide(viewer, action, found, found.repository.owner.kind) === 'granted';
}
