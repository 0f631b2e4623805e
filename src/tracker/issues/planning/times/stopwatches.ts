import type { SignedIn } from '../../../../api/access/viewer.ts';
import { conflict, ForgeError } from '../../../../base/core/failure.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../../base/database/database.ts';
import { requireNotArchived } from '../../../../hosting/repositories/refs/push-rules.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import { isReadableKind, requireKind } from '../../../../hosting/repositories/tracker.ts';
import { lockUser } from '../../../../people/accounts/locks.ts';
import type { IssueAccess, IssuePath } from '../../access.ts';
import { ISSUE } from '../../actions.ts';
import type { Stopwatch } from '../../models/times.ts';
import { completeIssue } from '../../read.ts';
import { about, addEntries, announce, type Recording } from '../../record.ts';
import { findIssuesByIds } from '../../store/issues.ts';
import { TIME } from './actions.ts';
import { ISSUE_STOPWATCH_ENDED, ISSUE_STOPWATCH_STARTED } from './events.ts';
import type { RunningStopwatch } from './present.ts';
import { recordStop } from './record.ts';
import { hasRoomForTime, requireMayTrack, requireRoomForTime, secondsSince } from './rules.ts';
import { deleteStopwatch, findStopwatch, insertStopwatch } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly access: IssueAccess;
}

/** The stopwatches of users. Each user has at most one, so starting another stopwatch stops it. */
export class Stopwatches {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Lists the stopwatch of the viewer, unless its issue is hidden by now. */
  async listOwn(viewer: SignedIn, { page }: Paging): Promise<Page<RunningStopwatch>> {
    const db = this.#use.database.reader;
    const watch = await findStopwatch(db, viewer.accountId);
    const permitted = watch && (await this.#use.repositories.find(db, viewer, watch.repositoryId));
    const [found] = watch === undefined ? [] : await findIssuesByIds(db, viewer, [watch.issueId]);
    if (watch === undefined || permitted === undefined || found === undefined) return { items: [], total: 0 };
    if (!isReadableKind(viewer, permitted, ISSUE.read, found.state)) return { items: [], total: 0 };
    const issue = await completeIssue(db, viewer, { ...found, repository: permitted.repository });
    const { startedAt } = watch;
    const seconds = Math.max(Math.floor((currentTimeMs() - startedAt) / 1000), 0);
    return { items: page === 1 ? [{ issue, startedAt, seconds }] : [], total: 1 };
  }

  /** @throws ForgeError as `IssueAccess.change`; `forbidden`; `conflict` if the stopwatch is running */
  async start(viewer: SignedIn, path: IssuePath): Promise<void> {
    await this.#use.access.change(viewer, path, TIME.watch, async (tx, issue) => {
      await requireMayTrack(tx, viewer, issue);
      await lockUser(tx, viewer.accountId);
      const recording = { tx, viewer, at: currentTimeMs() };
      const running = await findStopwatch(tx, viewer.accountId);
      if (running?.issueId === issue.state.id) throw conflict('the stopwatch is running already');
      if (running !== undefined) await this.#endOther(recording, running);
      const watch = { accountId: viewer.accountId, issueId: issue.state.id, startedAt: recording.at };
      await insertStopwatch(tx, watch);
      await addEntries(recording, issue.state, [{ kind: 'start_tracking' }]);
      await announce(recording, ISSUE_STOPWATCH_STARTED, issue.state, about(issue.state));
    });
  }

  /**
   * Adds the time since the start.
   *
   * @throws ForgeError as `IssueAccess.change`; `forbidden`; `conflict` if no stopwatch is running; `invalid`
   */
  async stop(viewer: SignedIn, path: IssuePath): Promise<void> {
    await this.#use.access.change(viewer, path, TIME.watch, async (tx, issue) => {
      await requireMayTrack(tx, viewer, issue);
      const { startedAt } = await requireRunning(tx, viewer, issue.state.id);
      await requireRoomForTime(tx, issue.state.id);
      const recording = { tx, viewer, at: currentTimeMs() };
      await recordStop(recording, issue.state, secondsSince(startedAt, recording.at));
    });
  }

  /** Discards the time since the start. @throws ForgeError as `stop` */
  async cancel(viewer: SignedIn, path: IssuePath): Promise<void> {
    await this.#use.access.change(viewer, path, TIME.watch, async (tx, issue) => {
      await requireMayTrack(tx, viewer, issue);
      await requireRunning(tx, viewer, issue.state.id);
      const recording = { tx, viewer, at: currentTimeMs() };
      await deleteStopwatch(tx, viewer.accountId);
      await addEntries(recording, issue.state, [{ kind: 'cancel_tracking' }]);
      const payload = { ...about(issue.state), isStopped: false };
      await announce(recording, ISSUE_STOPWATCH_ENDED, issue.state, payload);
    });
  }

  /** Stops the stopwatch of another issue. If the viewer may no longer track time there, discards its time. */
  async #endOther(recording: Recording, { issueId, repositoryId, startedAt }: Stopwatch): Promise<void> {
    const { tx, viewer, at } = recording;
    try {
      const permitted = await this.#use.access.lock(tx, viewer, repositoryId, TIME.watch);
      requireNotArchived(permitted.repository);
      const [found] = await findIssuesByIds(tx, viewer, [issueId]);
      if (found === undefined) return;
      requireKind(viewer, permitted, { action: TIME.watch }, found.state);
      await requireMayTrack(tx, viewer, { ...found, permitted });
      if (await hasRoomForTime(tx, issueId))
        await recordStop(recording, found.state, secondsSince(startedAt, at));
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
    }
    await deleteStopwatch(tx, viewer.accountId);
  }
}

/** @throws ForgeError `conflict` */
async function requireRunning(tx: Tx, viewer: SignedIn, issueId: number): Promise<Stopwatch> {
  await lockUser(tx, viewer.accountId);
  const running = await findStopwatch(tx, viewer.accountId);
  if (running?.issueId !== issueId) throw conflict('no stopwatch is running on this issue: start one first');
  return running;
}
