import type { RepositoryAction } from '../../api/access/actions.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError, isFailure, MovedError } from '../../base/core/failure.ts';
import type { PermittedRepository, RepositoryPath } from './model.ts';
import type { Repositories } from './service.ts';

/** Returns the path in an address that git uses, where the name may end with `.git`. */
export function pathInGitUrl(params: { owner: string; repo: string }): RepositoryPath {
  return { owner: params.owner, name: params.repo.replace(/\.git$/i, '') };
}

/**
 * Looks up a repository for git or git-lfs.
 *
 * @throws ForgeError `unauthenticated` for a caller who is not signed in, whether the repository is hidden or missing;
 *   `not_found`, `forbidden`
 */
export async function getForGit(
  repositories: Repositories,
  viewer: Viewer,
  path: RepositoryPath,
  action: RepositoryAction,
): Promise<PermittedRepository> {
  try {
    return await repositories.get(viewer, path, action);
  } catch (error) {
    // git sends its password only after a 401, so a hidden repository returns 401 here and 404 in the API.
    // A repository that was renamed is not hidden: git follows the redirect.
    if (!isMissing(error) || viewer.kind !== 'anonymous') throw error;
    const what = 'sign in to see this repository';
    throw new ForgeError({ kind: 'unauthenticated', what }, { cause: error });
  }
}

/** Whether a lookup failed because the repository is missing or hidden. */
export function isMissing(error: unknown): boolean {
  const isElsewhere = error instanceof MovedError;
  return isFailure(error, 'not_found') && !isElsewhere;
}
