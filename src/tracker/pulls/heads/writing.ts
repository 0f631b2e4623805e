import { reaches } from '../../../api/access/levels.ts';
import { type SignedIn, SYSTEM, type Viewer } from '../../../api/access/viewer.ts';
import { forbidden, invalid } from '../../../base/core/failure.ts';
import type { Database } from '../../../base/database/database.ts';
import type { PermittedRepository, Repository } from '../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { PullState } from '../model.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** The repository that has the branch of a head, and who writes the branch. */
export interface HeadWriter {
  readonly repository: Repository;
  readonly pusher: Viewer;
}

/**
 * Finds who writes the branch of the head of a pull request for a viewer.
 *
 * @param base as the viewer may use it
 * @throws ForgeError `forbidden` unless the viewer may write the head; `invalid` if its branch is gone
 */
export async function requireHeadWriter(
  { database, repositories }: Dependencies,
  viewer: SignedIn,
  base: PermittedRepository,
  { head, flow, allowsMaintainerEdit }: PullState,
): Promise<HeadWriter> {
  if (head.repositoryId === null || flow !== 'branch' || !head.hasBranch)
    throw invalid('the branch of the head is gone: the pull request cannot be updated');
  const own = await repositories.find(database.reader, viewer, head.repositoryId);
  if (own !== undefined && reaches(own.units.code, 'write'))
    return { repository: own.repository, pusher: viewer };
  // The author of the pull request lets people who maintain the base write its head.
  const mayMaintain = allowsMaintainerEdit && reaches(base.units.code, 'write');
  const found = mayMaintain ? await repositories.find(database.reader, SYSTEM, head.repositoryId) : undefined;
  if (found === undefined) throw forbidden('you may not write the head of this pull request');
  return { repository: found.repository, pusher: SYSTEM };
}
