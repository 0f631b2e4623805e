import type { EarlierViewer } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Tx } from '../../../base/database/database.ts';
import { insertEvent } from '../../../base/events/store.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { IssueState } from '../../issues/model.ts';
import { closeIssueFor, findIssueById } from '../../issues/server-changes.ts';
import { PULL_MERGED } from '../events.ts';
import type { MergeWish, PullState } from '../model.ts';
import { setMerged } from '../store/merges.ts';
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
    const by = { authorId: mergerId, at: currentTimeMs() };
    const { issueId, repositoryId, number } = pull;
    const issue = await stateOf(tx, issueId);
    await setMerged(tx, issueId, { at: by.at, accountId: mergerId, sha, base: mergeBase });
    await deleteScheduled(tx, [issueId]);
    if (asked !== undefined) await this.#use.afterMerge.enqueue(tx, { issueId, ...asked });
    await closeIssueFor(tx, issue, by, { kind: 'merge_pull', details: { sha } });
    const isScheduled = asked?.wish.isScheduled === true ? ({ isScheduled: true } as const) : {};
    const payload = { issueId, number, sha, style, ...isScheduled };
    await insertEvent(tx, PULL_MERGED, { actorId: mergerId, repositoryId, payload });
  }
}

async function stateOf(tx: Tx, issueId: number): Promise<IssueState> {
  const found = await findIssueById(tx, issueId);
  if (found === undefined) throw notFound('pull request');
  return found.state;
}
