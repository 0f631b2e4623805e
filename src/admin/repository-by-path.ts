import { notFound } from '../base/core/failure.ts';
import type { RepositoryId } from '../git/interface/snapshot.ts';
import type { Repositories } from '../hosting/repositories/service.ts';

/** @throws ForgeError `not_found` unless `path` is the `owner/name` of a repository */
export async function repositoryByPath(repositories: Repositories, path: string): Promise<RepositoryId> {
  const [owner = '', name = '', ...rest] = path.split('/');
  const id = rest.length > 0 ? undefined : await repositories.findId({ owner, name });
  if (id === undefined)
    throw notFound('repository', { say: `repository ${path} does not exist: give it as OWNER/NAME` });
  return id;
}
