import { requireGranted } from '../../../../api/access/guard.ts';
import type { SignedIn } from '../../../../api/access/viewer.ts';
import { forbidden, invalid } from '../../../../base/core/failure.ts';
import type { Tx } from '../../../../base/database/database.ts';
import type { Repository } from '../../../../hosting/repositories/model.ts';
import { trackerSettingsOf } from '../../../../hosting/repositories/units.ts';
import { mayManage, type PermittedIssue } from '../../access.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import { listLinks } from '../../store/links.ts';
import { TIME } from './actions.ts';
import { countTimes } from './store.ts';

export function tracksTime({ units }: Repository): boolean {
  return trackerSettingsOf(units).tracksTime;
}

/** @throws ForgeError `forbidden` if the repository does not let the viewer track time on the issue */
export async function requireMayTrack(
  tx: Tx,
  viewer: SignedIn,
  { permitted, state }: PermittedIssue,
): Promise<void> {
  const { tracksTime, onlyContributorsTrackTime } = trackerSettingsOf(permitted.repository.units);
  if (!tracksTime) throw forbidden('time tracking is switched off in this repository');
  if (!onlyContributorsTrackTime || mayManage(permitted, state) || state.authorId === viewer.accountId)
    return;
  const assignees = await listLinks(tx, 'assignees', state.id);
  if (!assignees.includes(viewer.accountId)) requireGranted('forbidden', TIME.change);
}

/** @throws ForgeError `invalid` */
export function validSeconds(seconds: number): number {
  const secondsMax = ISSUE_LIMITS.trackedSecondsMax;
  if (seconds <= 0 || seconds > secondsMax) throw invalid(`a time has 1 to ${secondsMax} seconds`);
  return seconds;
}

export async function hasRoomForTime(tx: Tx, issueId: number): Promise<boolean> {
  return (await countTimes(tx, issueId)) < ISSUE_LIMITS.timesPerIssueMax;
}

/** @throws ForgeError `invalid` */
export async function requireRoomForTime(tx: Tx, issueId: number): Promise<void> {
  if (!(await hasRoomForTime(tx, issueId)))
    throw invalid(`an issue has at most ${ISSUE_LIMITS.timesPerIssueMax} times`);
}

/** Returns the seconds that a stopwatch shows, at most the limit of one time. */
export function secondsSince(startedAt: number, now: number): number {
  const seconds = Math.floor((now - startedAt) / 1000);
  return Math.min(Math.max(seconds, 1), ISSUE_LIMITS.trackedSecondsMax);
}
