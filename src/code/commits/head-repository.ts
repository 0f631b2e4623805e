import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { COMMIT } from './actions.ts';
import type { HeadNames } from './model.ts';

/**
 * Finds the repository that has the head of a comparison: the base itself, the fork of an owner, or a named repository.
 *
 * @param base a repository whose code the viewer may read
 * @throws ForgeError `not_found` for a missing fork; as `Repositories.get`
 */
export async function findHeadRepository(
  repositories: Repositories,
  viewer: Viewer,
  base: Repository,
  { headOwner, headRepository }: Pick<HeadNames, 'headOwner' | 'headRepository'>,
): Promise<Repository> {
  if (headOwner === null) return base;
  if (headRepository !== null) {
    const named = await repositories.get(viewer, { owner: headOwner, name: headRepository }, COMMIT.read);
    return named.repository;
  }
  if (headOwner.toLowerCase() === base.owner.name.toLowerCase()) return base;
  const fork = await repositories.findRelative(base.id, headOwner);
  if (fork === undefined) throw notFound('fork');
  return (await repositories.getById(viewer, fork, COMMIT.read)).repository;
}
