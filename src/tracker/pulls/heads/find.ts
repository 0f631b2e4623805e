import type { Viewer } from '../../../api/access/viewer.ts';
import { isFailure, notFound } from '../../../base/core/failure.ts';
import { findHeadRepository } from '../../../code/commits/head-repository.ts';
import { headNamesOf } from '../../../code/commits/model.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';

/** A branch that a request names as the head of a pull request. It may not exist. */
export interface NamedHead {
  readonly repository: Repository;
  /** short name */
  readonly branch: string;
}

/**
 * Finds the repository of a head: the base itself, or a relative of it, such as a fork.
 *
 * @param text `branch`, `owner:branch` or `owner/repository:branch`
 * @throws ForgeError `not_found` if there is no such fork, or the viewer may not read its code
 */
export async function findHead(
  repositories: Repositories,
  viewer: Viewer,
  base: Repository,
  text: string,
): Promise<NamedHead> {
  const names = headNamesOf(text);
  const repository = await findHeadRepository(repositories, viewer, base, names).catch(withoutReason);
  if (!areRelatives(repository, base)) throw notFound('fork');
  return { repository, branch: names.head };
}

/** A caller who may not read the code of the head need not learn that it exists. */
function withoutReason(error: unknown): never {
  const isHidden = isFailure(error, 'forbidden');
  throw isHidden ? notFound('fork') : error;
}

function areRelatives(one: Repository, other: Repository): boolean {
  if (one.id === other.id || one.parentId === other.id || other.parentId === one.id) return true;
  return one.parentId !== null && one.parentId === other.parentId;
}
