import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { addEntryOfEach } from '../issues/server-changes.ts';
import type { PullState } from './model.ts';
import { deleteScheduled } from './store/scheduled.ts';

/** Cancels the scheduled merge of a pull request, if there is one. @param authorId whose action does; null: the server */
export async function cancelScheduled(
  tx: Tx,
  { issueId: id, repositoryId }: Pick<PullState, 'issueId' | 'repositoryId'>,
  authorId: number | null,
): Promise<void> {
  await cancelAllScheduled(tx, { issueIds: [id], repositoryId }, authorId);
}

/** Cancels the scheduled merges of pull requests of one repository. @param authorId as for `cancelScheduled` */
export async function cancelAllScheduled(
  tx: Tx,
  { issueIds, repositoryId }: { readonly issueIds: readonly number[]; readonly repositoryId: RepositoryId },
  authorId: number | null,
): Promise<void> {
  const entry = { kind: 'pull_cancel_scheduled_merge' } as const;
  const canceled = await deleteScheduled(tx, issueIds);
  const entries = canceled.map((id) => ({ issue: { id, repositoryId }, entry }));
  await addEntryOfEach(tx, { authorId, at: currentTimeMs() }, entries);
}
