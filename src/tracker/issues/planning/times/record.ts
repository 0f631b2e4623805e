import type { IssueState } from '../../model.ts';
import type { EntryKind } from '../../models/entries.ts';
import { about, addEntries, announce, type Recording } from '../../record.ts';
import { durationText } from './duration.ts';
import { ISSUE_STOPWATCH_ENDED, ISSUE_TIME_ADDED, ISSUE_TIMES_DELETED } from './events.ts';
import { type DeletedTime, deleteStopwatch, insertTime } from './store.ts';

/** Adds a time and its entry. `announceTime` adds the event later. */
export async function addTime(
  recording: Recording,
  issue: IssueState,
  added: {
    readonly kind: EntryKind;
    readonly accountId: number;
    readonly seconds: number;
    readonly createdAt: number;
  },
): Promise<number> {
  const { kind, ...time } = added;
  const { id: issueId, repositoryId } = issue;
  const timeId = await insertTime(recording.tx, { ...time, issueId, repositoryId });
  const body = durationText(time.seconds);
  await addEntries(recording, issue, [{ kind, body, details: { timeId } }]);
  return timeId;
}

export function announceTime(
  recording: Recording,
  issue: IssueState,
  time: { readonly timeId: number; readonly userId: number; readonly seconds: number },
): Promise<void> {
  return announce(recording, ISSUE_TIME_ADDED, issue, { ...about(issue), ...time });
}

export async function recordDeletion(
  recording: Recording,
  issue: IssueState,
  deleted: readonly DeletedTime[],
): Promise<void> {
  const seconds = deleted.reduce((sum, time) => sum + time.seconds, 0);
  const timeIds = deleted.map(({ id }) => id);
  const [timeId] = timeIds;
  const details = timeId === undefined || timeIds.length > 1 ? {} : { timeId };
  await addEntries(recording, issue, [{ kind: 'delete_time_manual', body: durationText(seconds), details }]);
  await announce(recording, ISSUE_TIMES_DELETED, issue, { ...about(issue), timeIds, seconds });
}

/** Ends the stopwatch of the viewer, and adds its time. */
export async function recordStop(recording: Recording, issue: IssueState, seconds: number): Promise<void> {
  const { tx, viewer, at } = recording;
  const userId = viewer.accountId;
  await deleteStopwatch(tx, userId);
  const added = { kind: 'stop_tracking', accountId: userId, seconds, createdAt: at } as const;
  const timeId = await addTime(recording, issue, added);
  await announce(recording, ISSUE_STOPWATCH_ENDED, issue, { ...about(issue), isStopped: true });
  await announceTime(recording, issue, { timeId, userId, seconds });
}
