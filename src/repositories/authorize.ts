import { requireGranted, whyMissing } from '../access/guard.ts';
import { reaches } from '../access/levels.ts';
import { decide, missingScopes, type RepositoryAction } from '../access/policy.ts';
import type { Viewer } from '../access/viewer.ts';
import { ForgeError, notFound } from '../core/failure.ts';
import type { HeldRepository } from './model.ts';

const WHY_FORBIDDEN: Partial<Record<RepositoryAction, string>> = {
  'repository.edit': 'only administrators of a repository may change its settings',
  'repository.delete': 'only the owner of a repository may delete it',
  'repository.transfer': 'only the owner of a repository may give it away',
  'repository.push': 'you may read this repository, but not push to it',
  'contents.write': 'you may read this repository, but not change it',
};

const DEFAULT_WHY = 'you may not do this with this repository';

/**
 * What was looked up for the viewer, where the viewer may do `action` with it.
 *
 * @throws ForgeError `not_found` (missing or hidden), `unauthenticated`, `forbidden`, `code_not_readable`
 */
export function requireHeld(
  viewer: Viewer,
  found: HeldRepository | undefined,
  action: RepositoryAction,
): HeldRepository {
  if (found === undefined) throw notFound('repository');
  const decision = decide(viewer, action, found, found.repository.owner.kind);
  if (decision !== 'granted' && decision !== 'hidden' && action === 'contents.read') {
    if (!reaches(found.units.code, 'read')) {
      const what = 'you may see this repository, but not read its code';
      throw new ForgeError({ kind: 'code_not_readable', what });
    }
  }
  const missing = missingScopes(viewer, action, found.repository.owner.kind);
  requireGranted(decision, {
    what: 'repository',
    why: missing.length > 0 ? whyMissing(missing) : (WHY_FORBIDDEN[action] ?? DEFAULT_WHY),
  });
  return found;
}
