import { reaches } from '../../../api/access/levels.ts';
import { type SignedIn, SYSTEM } from '../../../api/access/viewer.ts';
import { forbidden, invalid, notFound } from '../../../base/core/failure.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import type { PushOrigin } from '../../../hosting/repositories/refs/push-rules.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { PullState } from '../model.ts';
import { findMaintained } from './maintained.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** The repository that has the branch of a head, and how a viewer writes the branch. */
export interface HeadWriter {
  readonly repository: Repository;
  readonly origin: PushOrigin;
}

/**
 * Finds how a viewer writes the branch of the head of a pull request. The push authorizes the viewer again.
 *
 * @throws ForgeError `forbidden` unless the viewer may write the head; `invalid` if its branch is gone
 */
export async function requireHeadWriter(
  { database, repositories }: Dependencies,
  viewer: SignedIn,
  { head, flow }: PullState,
): Promise<HeadWriter> {
  const { repositoryId, branch } = head;
  if (repositoryId === null || flow !== 'branch' || !head.hasBranch)
    throw invalid('the branch of the head is gone: the pull request cannot be updated');
  const db = database.reader;
  const own = await repositories.find(db, viewer, repositoryId);
  if (own !== undefined && reaches(own.units.code, 'write'))
    return { repository: own.repository, origin: { kind: 'api' } };
  // Who may write the head lets people who maintain the base write it, too.
  const maintained = await findMaintained(repositories, { db, viewer, repositoryId }, [branch]);
  if (!maintained.has(branch)) throw forbidden('you may not write the head of this pull request');
  const found = await repositories.find(db, SYSTEM, repositoryId);
  if (found === undefined) throw notFound('repository');
  return { repository: found.repository, origin: { kind: 'api', maintains: true } };
}
