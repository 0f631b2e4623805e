import { type EarlierViewer, type SignedIn, SYSTEM } from '../../../api/access/viewer.ts';
import { isFailure, notFound, undefinedIf } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import type { BranchChanges } from '../../../code/branches/write.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Authentication } from '../../../people/authentication/service.ts';
import type { CommitReferences } from '../../issues/discussion/references/commits.ts';
import { addEntriesOf, findIssueById } from '../../issues/server-changes.ts';
import type { Issues } from '../../issues/service.ts';
import type { MergeWish, PullState } from '../model.ts';
import type { Retargeting } from '../retargeting.ts';
import { isHeadOfOpen, retargetAll } from '../store/merges.ts';
import { findPull } from '../store/pulls.ts';

interface MergedPull {
  readonly issueId: number;
  /** who asked for the merge, and by which credential */
  readonly by: EarlierViewer;
  readonly wish: MergeWish;
}

const AFTER_MERGE = defineJob<MergedPull>('pulls.after-merge');

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly jobs: Jobs;
  readonly authentication: Authentication;
  readonly repositories: Repositories;
  readonly branchChanges: BranchChanges;
  readonly issues: Issues;
  readonly commitReferences: CommitReferences;
  readonly retargeting: Retargeting;
}

/**
 * What follows a merge: the issues that the pull request names with a keyword close, and the branch of its head is
 * deleted. A job does both, so that they happen even if the server stops right after the merge.
 */
export class AfterMerge {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    dependencies.jobs.register(AFTER_MERGE, (merged) => this.#follow(merged));
  }

  enqueue(tx: Tx, payload: MergedPull): Promise<void> {
    return this.#use.jobs.enqueue(tx, AFTER_MERGE, { payload });
  }

  /**
   * Deletes the branch of the head of a merged pull request if the merge asks for it. A branch that has moved since, or
   * is the head of another open pull request, stays. Pull requests to a deleted branch get the base of the merged one.
   *
   * @throws ForgeError as `BranchChanges.delete`
   */
  async deleteBranch(
    viewer: SignedIn,
    issueId: number,
    wish: Pick<MergeWish, 'deletesBranch'>,
  ): Promise<void> {
    const { database, repositories, branchChanges } = this.#use;
    const pull = await findPull(database.reader, issueId);
    if (pull === undefined || pull.flow !== 'branch' || !pull.head.hasBranch) return;
    const { head } = pull;
    if (head.repositoryId === null || !(await this.#isWanted(pull, wish))) return;
    if (await isHeadOfOpen(database.reader, head.repositoryId, head.branch)) return;
    const found = await repositories.find(database.reader, viewer, head.repositoryId);
    if (found === undefined) throw notFound('repository');
    const { owner, name } = found.repository;
    const retargets = await this.#canRetarget(pull);
    try {
      await branchChanges.delete(viewer, { owner: owner.name, name }, head.branch, {
        seenTip: head.sha,
        afterRules: (tx) => this.#recordDeletion(tx, viewer, pull, { retargets }),
      });
    } catch (error) {
      // New commits arrived, or the job of this merge was faster.
      if (isFailure(error, 'precondition_failed', 'not_found')) return;
      throw error;
    }
  }

  async #recordDeletion(
    tx: Tx,
    { accountId: actorId }: SignedIn,
    { issueId, repositoryId, head, baseBranch }: PullState,
    { retargets }: { readonly retargets: boolean },
  ): Promise<void> {
    const move = { from: head.branch, to: baseBranch };
    const entry = { kind: 'delete_branch', details: { branch: head.branch } } as const;
    await addEntriesOf(tx, { id: issueId, repositoryId }, { authorId: actorId, at: currentTimeMs() }, [
      entry,
    ]);
    if (!retargets) return;
    const pulls = await retargetAll(tx, repositoryId, move);
    await this.#use.retargeting.record(tx, { repositoryId, pulls, ...move, actorId });
  }

  /** Whether pull requests to the head can get the base: it is in the same repository, and has not been deleted since. */
  async #canRetarget({ repositoryId, head, baseBranch }: PullState): Promise<boolean> {
    if (head.repositoryId !== repositoryId) return false;
    return (await this.#use.git.refs.open(repositoryId)).ref(branchRef(baseBranch)) !== undefined;
  }

  async #isWanted(
    { repositoryId }: PullState,
    { deletesBranch }: Pick<MergeWish, 'deletesBranch'>,
  ): Promise<boolean> {
    if (deletesBranch !== undefined) return deletesBranch;
    const { database, repositories } = this.#use;
    const permitted = await repositories.find(database.reader, SYSTEM, repositoryId);
    return permitted?.repository.units.pulls?.deletesBranchAfterMerge ?? false;
  }

  async #follow({ issueId, by, wish }: MergedPull): Promise<void> {
    const { database, issues, commitReferences, authentication } = this.#use;
    const found = await findIssueById(database.reader, issueId);
    const merger = await authentication.viewerAgain(by).catch(ifCredentialIsGone);
    if (merger === undefined || found === undefined) return;
    const { title, body, repositoryId } = found.state;
    const text = await issues.texts.issue(merger, { title, body });
    const isLimited = merger.limitedByToken !== null || merger.publicOnly;
    await commitReferences.followMerge(merger, { issueId, repositoryId, isLimited }, text);
    await this.deleteBranch(merger, issueId, wish).catch(ifNotDeletable);
  }
}

/** For the failures of `deleteBranch` that do not fail a merge. */
export const ifNotDeletable = undefinedIf('forbidden', 'not_found', 'archived');

/** For an earlier request whose credential is gone. */
export const ifCredentialIsGone = undefinedIf('unauthenticated', 'forbidden');

/** Names the credential of a request, for work that goes on after it. */
export function earlierViewerOf({ accountId, source }: SignedIn): EarlierViewer {
  if (source === undefined) throw new Error('only a viewer of a request merges');
  return { accountId, source };
}
