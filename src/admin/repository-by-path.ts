import { notFound } from '../base/core/failure.ts';
import type { RepositoryId } from '../git/interface/snapshot.ts';
import type { Repositories } from '../hosting/repositories/service.ts';

/**
 * Finds the git data of a repository, or of its wiki.
 *
 * @param path `owner/name` or `owner/name.wiki`
 * @throws ForgeError `not_found`
 */
export async function repositoryByPath(repositories: Repositories, path: string): Promise<RepositoryId> {
  const [owner = '', name = '', ...rest] = path.split('/');
  const id = rest.length > 0 ? undefined : await repositories.findGitId({ owner, name });
  if (id === undefined)
    throw notFound('repository', { say: `repository ${path} does not exist: give it as OWNER/NAME` });
  return id;
}
