import type { Tx } from '../../base/database/database.ts';
import { addEntriesOf } from '../issues/server-changes.ts';
import type { PullState } from './model.ts';
import { deleteScheduled } from './store/scheduled.ts';

/** Cancels the scheduled merge of a pull request, if there is one. @param authorId whose action does; null: the server */
export async function cancelScheduled(
  tx: Tx,
  { issueId: id, repositoryId }: Pick<PullState, 'issueId' | 'repositoryId'>,
  authorId: number | null,
): Promise<void> {
  if (!(await deleteScheduled(tx, id))) return;
  await addEntriesOf(tx, { id, repositoryId }, { authorId, at: Date.now() }, [
    { kind: 'pull_cancel_scheduled_merge' },
  ]);
}
