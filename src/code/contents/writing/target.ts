import type { Viewer } from '../../../api/access/viewer.ts';
import { forbidden } from '../../../base/core/failure.ts';
import type { Database } from '../../../base/database/database.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import { REPOSITORY } from '../../../hosting/repositories/actions.ts';
import { isGranted, requirePermitted } from '../../../hosting/repositories/authorize.ts';
import type { Repository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { PushOrigin } from '../../../hosting/repositories/refs/push-rules.ts';
import type { Pushes } from '../../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { CONTENTS } from '../actions.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
}

/** A repository that a viewer may change. */
export interface ChangeTarget {
  readonly repository: Repository;
  /** With `maintains`, the viewer may write only some branches: `requireBranch` checks the branch. */
  readonly origin: PushOrigin & { readonly kind: 'api' };
}

/**
 * Finds a repository in which the viewer may write at least one branch: decides whether to read the body of the request,
 * which names the branch. Large files of git-lfs stay closed to people who may write only heads of pull requests.
 *
 * @throws ForgeError `not_found`, `unauthenticated`, `forbidden`
 */
export async function findTarget(
  { database, repositories, pushes }: Dependencies,
  viewer: Viewer,
  path: RepositoryPath,
): Promise<ChangeTarget> {
  const permitted = await repositories.get(viewer, path, REPOSITORY.read);
  const { repository } = permitted;
  const mayWriteAll = isGranted(viewer, permitted, CONTENTS.write);
  if (!mayWriteAll && isGranted(viewer, permitted, REPOSITORY.beginPush)) {
    const maintained = await pushes.findMaintained(database.reader, viewer, { repositoryId: repository.id });
    if (maintained.size > 0) return { repository, origin: { kind: 'api', maintains: true } };
  }
  requirePermitted(viewer, permitted, CONTENTS.write);
  return { repository, origin: { kind: 'api' } };
}

/** @throws ForgeError `forbidden` unless the viewer may write this branch of the target */
export async function requireBranch(
  { database, pushes }: Dependencies,
  viewer: Viewer,
  { repository, origin }: ChangeTarget,
  branch: string,
): Promise<void> {
  if (origin.maintains !== true) return;
  const ref = branchRef(branch);
  const of = { repositoryId: repository.id, refs: [ref] };
  if (!(await pushes.findMaintained(database.reader, viewer, of)).has(ref))
    throw forbidden(CONTENTS.write.why);
}
