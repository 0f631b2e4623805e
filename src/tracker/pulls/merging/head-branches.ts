import type { SignedIn } from '../../../api/access/viewer.ts';
import { invalid, notFound } from '../../../base/core/failure.ts';
import type { Database } from '../../../base/database/database.ts';
import type { BranchChanges } from '../../../code/branches/write.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { IssuePath } from '../../issues/access.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL } from '../actions.ts';
import type { PullState } from '../model.ts';
import { getPull } from '../store/pulls.ts';
import type { AfterMerge } from './after-merge.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly branchChanges: BranchChanges;
  readonly afterMerge: AfterMerge;
}

/** Deletes the branches of heads that are merged or closed, and restores them. */
export class HeadBranches {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Deletes the branch of a head, unless it has moved since, or is the head of another open pull request.
   *
   * @throws ForgeError as `IssueAccess.get` and `BranchChanges.delete`; `invalid` for an open pull request
   */
  async delete(viewer: SignedIn, path: IssuePath): Promise<void> {
    const pull = await this.#requireDone(viewer, path);
    await this.#use.afterMerge.deleteBranch(viewer, pull.issueId, { deletesBranch: true });
  }

  /**
   * Creates the branch of a head again, with the commit that the head had.
   *
   * @throws ForgeError as `IssueAccess.get` and `BranchChanges.create`; `invalid` for an open pull request
   */
  async restore(viewer: SignedIn, path: IssuePath): Promise<void> {
    const { head, flow } = await this.#requireDone(viewer, path);
    const db = this.#use.database.reader;
    const found =
      head.repositoryId === null
        ? undefined
        : await this.#use.repositories.find(db, viewer, head.repositoryId);
    if (found === undefined || flow !== 'branch') throw notFound('branch');
    const { owner, name } = found.repository;
    await this.#use.branchChanges.create(viewer, { owner: owner.name, name }, head.branch, {
      start: { kind: 'ref', name: head.sha },
      seen: undefined,
    });
  }

  async #requireDone(viewer: SignedIn, path: IssuePath): Promise<PullState> {
    const { state } = await this.#use.issues.access.get(viewer, path, PULL.change, { kind: 'pull' });
    const pull = await getPull(this.#use.database.reader, state.id);
    if (pull.isOpen) throw invalid('the pull request is open: close or merge it first');
    return pull;
  }
}
