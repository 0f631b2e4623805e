import type { SignedIn, Viewer } from '../../../../api/access/viewer.ts';
import { invalid, notFound } from '../../../../base/core/failure.ts';
import { parseId } from '../../../../base/core/text/ids.ts';
import { isPlainLine } from '../../../../base/core/text/text.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../../base/database/database.ts';
import type { RepositoryPath } from '../../../../hosting/repositories/model.ts';
import {
  showsUnit,
  type TrackerAction,
  type TrackerKind,
  unitOf,
} from '../../../../hosting/repositories/tracker.ts';
import type { IssueAccess, IssuePath, PermittedIssue } from '../../access.ts';
import { ISSUE } from '../../actions.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import type { Issue } from '../../model.ts';
import { completeIssue, completeIssues } from '../../read.ts';
import { about, addEntries, announce, moveIssue } from '../../record.ts';
import type { Issues } from '../../service.ts';
import { ISSUE_LOCKED, ISSUE_PINNED, ISSUE_UNLOCKED, ISSUE_UNPINNED } from './events.ts';
import type { FreePins } from './model.ts';
import { closePinGap, countPinned, listPinned, shiftPins } from './store.ts';

type RequireCurrent = (current: Issue) => void;

const PINNED_ISSUES = { isPull: false, action: ISSUE.listPinned };

interface Dependencies {
  readonly database: Database;
  readonly access: IssueAccess;
  readonly issues: Issues;
}

/** Locks, pins and due dates, which people who may write set on issues. */
export class IssueMarks {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `IssueAccess.change`; `invalid` for an unfit reason */
  async lock(viewer: SignedIn, path: IssuePath, reason: string, require: RequireCurrent): Promise<void> {
    if (reason.length > ISSUE_LIMITS.issueLockReasonCharsMax || !isPlainLine(reason))
      throw invalid(`the reason is one line of at most ${ISSUE_LIMITS.issueLockReasonCharsMax} characters`);
    await this.#change(viewer, path, { action: ISSUE.manage, require }, async (tx, { state }) => {
      if (state.isLocked) return;
      const recording = { tx, viewer, at: currentTimeMs() };
      await moveIssue(tx, state, { ...state, isLocked: true, updatedAt: recording.at });
      await addEntries(recording, state, [{ kind: 'lock', body: reason }]);
      await announce(recording, ISSUE_LOCKED, state, { ...about(state), reason });
    });
  }

  /** @throws ForgeError as `IssueAccess.change` */
  async unlock(viewer: SignedIn, path: IssuePath, require: RequireCurrent): Promise<void> {
    await this.#change(viewer, path, { action: ISSUE.manage, require }, async (tx, { state }) => {
      if (!state.isLocked) return;
      const recording = { tx, viewer, at: currentTimeMs() };
      await moveIssue(tx, state, { ...state, isLocked: false, updatedAt: recording.at });
      await addEntries(recording, state, [{ kind: 'unlock' }]);
      await announce(recording, ISSUE_UNLOCKED, state, about(state));
    });
  }

  /**
   * Sets the due date of an issue, or removes it.
   *
   * @param dueAt ms, the last second of a day; null for none
   * @throws ForgeError as `Issues.edit`, and `forbidden` for people who may not write
   */
  async setDueDate(
    viewer: SignedIn,
    path: IssuePath,
    dueAt: number | null,
    require: RequireCurrent,
  ): Promise<Issue> {
    await this.#use.access.get(viewer, path, ISSUE.manage);
    return this.#use.issues.edit(viewer, path, { dueAt }, { requireCurrent: require });
  }

  /**
   * Lists the pinned issues or pull requests in their order.
   *
   * @param of.action on the unit of the kind
   * @throws ForgeError as `IssueAccess.repository`
   */
  async listPinned(
    viewer: Viewer,
    path: RepositoryPath,
    { isPull, action }: TrackerKind & { readonly action: TrackerAction } = PINNED_ISSUES,
  ): Promise<readonly Issue[]> {
    const { repository } = await this.#use.access.repository(viewer, path, action);
    const db = this.#use.database.reader;
    const found = await listPinned(db, viewer, { repositoryId: repository.id, isPull });
    return completeIssues(
      db,
      viewer,
      found.map((issue) => ({ ...issue, repository })),
    );
  }

  /** A kind that is switched off or hidden has no room. @throws ForgeError as `IssueAccess.repository` */
  async freePins(viewer: Viewer, path: RepositoryPath): Promise<FreePins> {
    const permitted = await this.#use.access.repository(viewer, path, ISSUE.read);
    const { id: repositoryId } = permitted.repository;
    const isFree = async (kind: TrackerKind) =>
      showsUnit(permitted, unitOf(kind)) &&
      (await countPinned(this.#use.database.reader, { ...kind, repositoryId })) <
        ISSUE_LIMITS.pinnedIssuesMax;
    return { forIssues: await isFree({ isPull: false }), forPulls: await isFree({ isPull: true }) };
  }

  /**
   * Pins an issue in the last position.
   *
   * @throws ForgeError as `IssueAccess.change`; `invalid` if too many are pinned
   */
  async pin(viewer: SignedIn, path: IssuePath, require: RequireCurrent): Promise<void> {
    await this.#change(viewer, path, { action: ISSUE.pin, require }, async (tx, { state }) => {
      if (state.pinOrder > 0) return;
      const count = await countPinned(tx, state);
      if (count >= ISSUE_LIMITS.pinnedIssuesMax)
        throw invalid(
          `a repository has at most ${ISSUE_LIMITS.pinnedIssuesMax} pinned issues: unpin one first`,
        );
      const recording = { tx, viewer, at: currentTimeMs() };
      await moveIssue(tx, state, { ...state, pinOrder: count + 1, updatedAt: recording.at });
      await addEntries(recording, state, [{ kind: 'pin' }]);
      await announce(recording, ISSUE_PINNED, state, { ...about(state), position: count + 1 });
    });
  }

  /** @throws ForgeError as `IssueAccess.change` */
  async unpin(viewer: SignedIn, path: IssuePath, require: RequireCurrent): Promise<void> {
    await this.#change(viewer, path, { action: ISSUE.pin, require }, async (tx, { state }) => {
      if (state.pinOrder === 0) return;
      const recording = { tx, viewer, at: currentTimeMs() };
      await moveIssue(tx, state, { ...state, pinOrder: 0, updatedAt: recording.at });
      await closePinGap(tx, state);
      await addEntries(recording, state, [{ kind: 'unpin' }]);
      await announce(recording, ISSUE_UNPINNED, state, about(state));
    });
  }

  /**
   * Moves a pinned issue to another position.
   *
   * @param text position from 1, as the URL has it
   * @throws ForgeError as `IssueAccess.change`; `not_found` if the text is not a number; `invalid` if the issue is not
   *   pinned, or if there are fewer pinned issues
   */
  async movePin(viewer: SignedIn, path: IssuePath, text: string, require: RequireCurrent): Promise<void> {
    const position = parseId(text);
    await this.#change(viewer, path, { action: ISSUE.pin, require }, async (tx, { state }) => {
      if (position === undefined) throw notFound('position');
      if (state.pinOrder === 0) throw invalid('the issue is not pinned');
      const count = await countPinned(tx, state);
      if (position > count) throw invalid(`the position is from 1 to ${count}`);
      if (position === state.pinOrder) return;
      const at = currentTimeMs();
      const isLater = position > state.pinOrder;
      await shiftPins(
        tx,
        state,
        isLater
          ? { from: state.pinOrder + 1, to: position, by: -1 }
          : { from: position, to: state.pinOrder - 1, by: 1 },
      );
      await moveIssue(tx, state, { ...state, pinOrder: position, updatedAt: at });
      await announce({ tx, viewer, at }, ISSUE_PINNED, state, { ...about(state), position });
    });
  }

  #change(
    viewer: SignedIn,
    path: IssuePath,
    { action, require }: { action: typeof ISSUE.manage | typeof ISSUE.pin; require: RequireCurrent },
    change: (tx: Tx, issue: PermittedIssue) => Promise<void>,
  ): Promise<void> {
    return this.#use.access.change(viewer, path, action, async (tx, issue) => {
      require(await completeIssue(tx, viewer, { ...issue, repository: issue.permitted.repository }));
      await change(tx, issue);
    });
  }
}
