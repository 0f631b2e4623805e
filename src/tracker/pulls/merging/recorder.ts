import type { EarlierViewer } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import type { Tx } from '../../../base/database/database.ts';
import { insertEvent } from '../../../base/events/store.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { IssueState } from '../../issues/model.ts';
import { addEntriesOf, closeIssueFor, findIssueById } from '../../issues/server-changes.ts';
import type { CheckJobs } from '../checks/jobs.ts';
import { PULL_MERGED, PULL_RETARGETED } from '../events.ts';
import type { MergeWish, PullState } from '../model.ts';
import { retargetAll, setMerged } from '../store/merges.ts';
import { deleteScheduled } from '../store/scheduled.ts';
import type { AfterMerge } from './after-merge.ts';

/** A merge that has happened. */
export interface RecordedMerge {
  readonly pull: PullState;
  /** null: not known */
  readonly mergerId: number | null;
  readonly sha: Oid;
  /** null: as the last check has found it */
  readonly mergeBase: Oid | null;
  readonly style: MergeWish['style'];
  /** absent: no request asked for the merge, so nothing else follows from it */
  readonly asked?: { readonly by: EarlierViewer; readonly wish: MergeWish };
}

interface Dependencies {
  readonly checkJobs: CheckJobs;
  readonly afterMerge: AfterMerge;
}

/** Records merges, however they were made. */
export class MergeRecorder {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Call it in the transaction that moves the base, or that has found that it moved. The repository is locked. */
  async record(tx: Tx, { pull, mergerId, sha, mergeBase, style, asked }: RecordedMerge): Promise<void> {
    const by = { authorId: mergerId, at: Date.now() };
    const { issueId, repositoryId, number, head, baseBranch } = pull;
    const issue = await stateOf(tx, issueId);
    await setMerged(tx, issueId, { at: by.at, accountId: mergerId, sha, base: mergeBase });
    await deleteScheduled(tx, issueId);
    if (asked !== undefined && (await this.#use.afterMerge.willDelete(tx, pull, asked.wish)))
      await this.#retargetChildren(tx, by, pull, { from: head.branch, to: baseBranch });
    if (asked !== undefined) await this.#use.afterMerge.enqueue(tx, { issueId, ...asked });
    await closeIssueFor(tx, issue, by, { kind: 'merge_pull', details: { sha } });
    const payload = { issueId, number, sha, style };
    await insertEvent(tx, PULL_MERGED, { actorId: mergerId, repositoryId, payload });
  }

  /** Gives the pull requests whose base is about to be deleted the base of the merged one. */
  async #retargetChildren(
    tx: Tx,
    by: { readonly authorId: number | null; readonly at: number },
    { repositoryId, issueId }: PullState,
    move: { readonly from: string; readonly to: string },
  ): Promise<void> {
    for (const id of await retargetAll(tx, repositoryId, move)) {
      if (id === issueId) continue;
      const { number } = await stateOf(tx, id);
      await addEntriesOf(tx, { id, repositoryId }, by, [{ kind: 'change_target_branch', details: move }]);
      await this.#use.checkJobs.enqueue(tx, id);
      const payload = { issueId: id, number, ...move };
      await insertEvent(tx, PULL_RETARGETED, { actorId: by.authorId, repositoryId, payload });
    }
  }
}

async function stateOf(tx: Tx, issueId: number): Promise<IssueState> {
  const found = await findIssueById(tx, issueId);
  if (found === undefined) throw notFound('pull request');
  return found.state;
}
