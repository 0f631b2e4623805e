import { reaches } from '../../../api/access/levels.ts';
import { type SignedIn, SYSTEM, type Viewer } from '../../../api/access/viewer.ts';
import { forbidden, invalid, notFound } from '../../../base/core/failure.ts';
import type { Database, Db, Tx } from '../../../base/database/database.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { PullState } from '../model.ts';
import { findMaintained } from './maintained.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** The repository that has the branch of a head, and who writes the branch. */
export interface HeadWriter {
  readonly repository: Repository;
  readonly pusher: Viewer;
  /** Throws if the viewer may not write the head any more. Call it in the transaction that moves the branch. */
  recheck(tx: Tx): Promise<void>;
}

/**
 * Finds who writes the branch of the head of a pull request for a viewer.
 *
 * @throws ForgeError `forbidden` unless the viewer may write the head; `invalid` if its branch is gone
 */
export async function requireHeadWriter(
  { database, repositories }: Dependencies,
  viewer: SignedIn,
  { head, flow }: PullState,
): Promise<HeadWriter> {
  if (head.repositoryId === null || flow !== 'branch' || !head.hasBranch)
    throw invalid('the branch of the head is gone: the pull request cannot be updated');
  const own = await repositories.find(database.reader, viewer, head.repositoryId);
  if (own !== undefined && reaches(own.units.code, 'write'))
    // The push authorizes the viewer again.
    return { repository: own.repository, pusher: viewer, recheck: async () => {} };
  // Who may write the head lets people who maintain the base write it, too.
  const { repositoryId } = head;
  const recheck = async (db: Db) => {
    const of = { db, viewer, repositoryId };
    const maintained = await findMaintained(repositories, of, [head.branch]);
    if (!maintained.has(head.branch)) throw forbidden('you may not write the head of this pull request');
  };
  await recheck(database.reader);
  const found = await repositories.find(database.reader, SYSTEM, repositoryId);
  if (found === undefined) throw notFound('repository');
  return { repository: found.repository, pusher: SYSTEM, recheck };
}
