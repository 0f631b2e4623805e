import type { SignedIn } from '../../api/access/viewer.ts';
import type { Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { REPOSITORY_CHANGED } from '../../hosting/repositories/events.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { announceChange, type Protections } from '../protection/service.ts';
import { BRANCH } from './actions.ts';
import { BRANCH_RENAMED } from './events.ts';

export interface RenameServices {
  readonly repositories: Repositories;
  readonly protections: Protections;
  readonly git: Pick<GitStorage, 'refs'>;
}

interface Rename {
  readonly viewer: SignedIn;
  readonly id: RepositoryId;
  /** short names */
  readonly from: string;
  readonly to: string;
}

/**
 * Changes the rows that have the name of a branch, in the transaction that renames it.
 *
 * @throws ForgeError as `Protections.followRename`; `forbidden` if the viewer may not rename this branch
 */
export async function writeRename(
  tx: Tx,
  { repositories, protections, git }: RenameServices,
  { viewer, id, from, to }: Rename,
): Promise<void> {
  const { repository } = await repositories.lock(tx, viewer, id, BRANCH.rename);
  const wasDefault = repository.defaultBranch === from;
  const protection = await protections.followRename(tx, id, { from, to });
  if (wasDefault || protection !== undefined) {
    await repositories.lock(tx, viewer, id, BRANCH.renameProtected);
  }
  if (wasDefault) {
    await git.refs.setHead(id, branchRef(to), tx);
    await repositories.settings.defaultBranchChanged.notify(tx, id);
  }
  const about = { actorId: viewer.accountId, repositoryId: id };
  await insertEvent(tx, BRANCH_RENAMED, { ...about, payload: { from, to } });
  if (wasDefault)
    await insertEvent(tx, REPOSITORY_CHANGED, { ...about, payload: { changed: ['defaultBranch'] } });
  if (protection !== undefined)
    await announceChange(tx, viewer, protection, {
      after: { ...protection, pattern: to },
      changed: ['pattern'],
    });
}
