import { reaches } from '../../../api/access/levels.ts';
import { isRepositoryLimited, type Viewer } from '../../../api/access/viewer.ts';
import type { Db } from '../../../base/database/database.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { findWithCode } from '../../../hosting/repositories/collaborators/code-users.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { listMaintained } from '../store/moves.ts';

/**
 * Finds the branches of a repository that a user may write because they are heads of open pull requests whose authors let
 * people who maintain the base write them. Who lets them must still be able to write them, too.
 *
 * @param names only these branches; undefined: all
 */
export async function findMaintained(
  repositories: Repositories,
  {
    db,
    viewer,
    repositoryId,
  }: { readonly db: Db; readonly viewer: Viewer; readonly repositoryId: RepositoryId },
  names?: readonly string[],
): Promise<ReadonlySet<string>> {
  // A fork can be hidden from who maintains the base, but a limited token stays within its limits.
  const isLimited = isRepositoryLimited(viewer) || viewer.publicOnly;
  if (isLimited && (await repositories.find(db, viewer, repositoryId)) === undefined) return new Set();
  const heads = await listMaintained(db, viewer, repositoryId, names);
  const bases = await repositories.findSeveral(
    db,
    viewer,
    heads.map((head) => head.repositoryId),
  );
  const allowing = await findWithCode(db, repositoryId, {
    level: 'write',
    accountIds: heads.map(({ allowedBy }) => allowedBy),
  });
  const isWritten = (id: RepositoryId) => reaches(bases.get(id)?.units.code ?? 'none', 'write');
  const maintained = heads.filter((head) => isWritten(head.repositoryId) && allowing.has(head.allowedBy));
  return new Set(maintained.map(({ branch }) => branch));
}
