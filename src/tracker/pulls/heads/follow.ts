import { SYSTEM } from '../../../api/access/viewer.ts';
import { undefinedIf } from '../../../base/core/failure.ts';
import { Signal } from '../../../base/core/signal.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Db, Tx } from '../../../base/database/database.ts';
import { insertEvent } from '../../../base/events/store.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import type { Oid } from '../../../git/format/model.ts';
import { BRANCHES, branchRef, pullHeadRef } from '../../../git/format/ref-names.ts';
import type { RefUpdate } from '../../../git/interface/refs.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { FollowingRef } from '../../../git/interface/writes.ts';
import { findWithCode } from '../../../hosting/repositories/collaborators/code-users.ts';
import type { Pushes, RefsChange } from '../../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { addEntriesOf, closeIssueFor, findIssueById } from '../../issues/server-changes.ts';
import { PULL } from '../actions.ts';
import { cancelScheduled } from '../cancel-scheduled.ts';
import type { CheckJobs } from '../checks/jobs.ts';
import { PULL_SYNCHRONIZED } from '../events.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { PullState } from '../model.ts';
import {
  findDependents,
  isBlockedAt,
  listOpenFrom,
  listOpenWithBase,
  type MovingHead,
  renameBranch,
  setHasHeadBranch,
} from '../store/moves.ts';
import { findPull, setHead } from '../store/pulls.ts';

/** A head that has moved. */
export interface HeadMove {
  readonly issueId: number;
  /** of the base */
  readonly repositoryId: RepositoryId;
  readonly number: number;
  readonly before: Oid;
  readonly after: Oid;
  /** who pushed; null: a key, or the server */
  readonly pusherId: number | null;
  /** A job has fetched it from where its branch is, so there may be commits that others have pushed before. */
  readonly isFetched: boolean;
}

interface GoneBranch {
  readonly repositoryId: RepositoryId;
  readonly branch: string;
  readonly pusherId: number | null;
}

interface DeletedPull {
  readonly repositoryId: RepositoryId;
  readonly number: number;
}

const FETCH = defineJob<{ readonly issueId: number; readonly pusherId: number | null }>('pulls.fetch-head');
const RECORD = defineJob<HeadMove>('pulls.record-move');
const CLOSE = defineJob<GoneBranch>('pulls.close-without-branch');
const CLOSE_OF_FORK = defineJob<{ readonly issueIds: readonly number[] }>('pulls.close-without-fork');
const DELETE = defineJob<DeletedPull>('pulls.delete-head');

/** For a repository that was deleted, or takes no more changes. */
const ifGone = undefinedIf('not_found', 'archived');

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'history'>;
  readonly jobs: Jobs;
  readonly pushes: Pushes;
  readonly repositories: Repositories;
  readonly checkJobs: CheckJobs;
}

/**
 * Makes pull requests follow their branches. The head of a pull request in the same repository moves in the transaction of
 * the push. A job fetches the head from a fork.
 */
export class HeadFollower {
  /** in the transaction that moves the head */
  readonly headMoving = new Signal<[tx: Tx, move: HeadMove]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs } = dependencies;
    const fetch = ({ issueId, pusherId }: { issueId: number; pusherId: number | null }) =>
      this.fetch(issueId, pusherId).catch(ifGone);
    jobs.register(FETCH, fetch, { atOnceMax: 2 });
    jobs.register(RECORD, (move) => this.#record(move).catch(ifGone));
    jobs.register(CLOSE, (gone) => this.#close(gone).catch(ifGone));
    jobs.register(CLOSE_OF_FORK, async ({ issueIds }) => {
      for (const id of issueIds) await this.#closeOne(id, null).catch(ifGone);
    });
    jobs.register(DELETE, (deleted) => this.#deleteRef(deleted).catch(ifGone));
  }

  /** Follows a push. @returns the heads that move with it */
  async afterPush(tx: Tx, change: RefsChange): Promise<readonly FollowingRef[]> {
    const { repositoryId, origin, pusher } = change;
    // Only an import brings pull requests with a repository, and it looks after their heads itself.
    if (origin.kind === 'creation') return [];
    if (origin.kind === 'api' && origin.renamed !== undefined) {
      const { from, to } = origin.renamed;
      await renameBranch(tx, repositoryId, { from: branchOf(from), to: branchOf(to) });
      return [];
    }
    const moved = change.moved.filter(({ ref }) => ref.startsWith(BRANCHES));
    if (moved.length === 0) return [];
    const gone = branchesOf(moved.filter(({ new: oid }) => oid === null));
    await setHasHeadBranch(tx, repositoryId, gone, 0);
    await setHasHeadBranch(tx, repositoryId, branchesOf(moved.filter(({ old }) => old === null)), 1);
    const tips = new Map(moved.map(({ ref, new: oid }) => [branchOf(ref), oid]));
    const branches = [...tips.keys()];
    const pusherId = pusher.accountId;
    const toClose = new Set<string>();
    const following: FollowingRef[] = [];
    const { heads, bases } = await findDependents(tx, repositoryId, branches);
    for (const head of heads) {
      const tip = tips.get(head.branch) ?? null;
      if (tip === null) toClose.add(head.branch);
      else if (head.repositoryId !== repositoryId) await this.enqueue(tx, head.issueId, pusherId);
      else following.push(...(await this.move(tx, head, tip, { pusherId, isFetched: false })));
    }
    for (const branch of bases) {
      if ((tips.get(branch) ?? null) === null) toClose.add(branch);
      else await this.#use.checkJobs.enqueueBase(tx, repositoryId, branch);
    }
    for (const branch of toClose) {
      const payload = { repositoryId, branch, pusherId };
      await this.#use.jobs.enqueue(tx, CLOSE, { key: `${repositoryId}:${branch}`, payload });
    }
    return following;
  }

  /** Requests that the ref of a deleted pull request is deleted: its commits may be why it was deleted. */
  whenDeleted(tx: Tx, { repositoryId, number }: DeletedPull): Promise<void> {
    return this.#use.jobs.enqueue(tx, DELETE, { payload: { repositoryId, number } });
  }

  /** Requests that the pull requests of a fork that is about to be deleted are closed, as if its branches were deleted. */
  async whenForkDeleted(tx: Tx, id: RepositoryId): Promise<void> {
    const issueIds = await listOpenFrom(tx, id);
    const countMax = PULL_LIMITS.pullsClosedPerJobMax;
    for (let from = 0; from < issueIds.length; from += countMax)
      await this.#use.jobs.enqueue(tx, CLOSE_OF_FORK, {
        payload: { issueIds: issueIds.slice(from, from + countMax) },
      });
  }

  async #deleteRef({ repositoryId, number }: DeletedPull): Promise<void> {
    const found = await this.#use.repositories.find(this.#use.database.reader, SYSTEM, repositoryId);
    if (found === undefined) return;
    await using session = await this.#use.git.writes.begin(repositoryId);
    await this.#use.pushes.moveOwnRefs(session, {
      repository: found.repository,
      pusher: SYSTEM,
      tips: [],
      inAnyState: true,
      decide: async () => [{ ref: pullHeadRef(number), commit: null }],
    });
  }

  /** Requests that a head is fetched from where its branch is. */
  enqueue(tx: Tx, issueId: number, pusherId: number | null): Promise<void> {
    return this.#use.jobs.enqueue(tx, FETCH, { key: `${issueId}`, payload: { issueId, pusherId } });
  }

  /**
   * Makes an open pull request have the tip of its branch as its head.
   *
   * @throws ForgeError `not_found` if a repository is gone, `archived`, `too_large`, `busy`
   */
  async fetch(issueId: number, pusherId: number | null): Promise<void> {
    const pull = await findPull(this.#use.database.reader, issueId);
    if (pull === undefined || !pull.isOpen || pull.flow !== 'branch') return;
    const { repositoryId, head } = pull;
    if (head.repositoryId === null || !(await this.#mayMove(this.#use.database.reader, pull, pusherId)))
      return;
    const from = await this.#use.git.refs.open(head.repositoryId);
    const tip = from.ref(branchRef(head.branch));
    if (tip === undefined || tip === head.sha) return;
    const base = await this.#use.repositories.find(this.#use.database.reader, SYSTEM, repositoryId);
    if (base === undefined) return;
    await using session = await this.#use.git.writes.begin(repositoryId);
    if (head.repositoryId !== repositoryId) await session.copyFrom(from, [tip]);
    await this.#use.pushes.moveOwnRefs(session, {
      repository: base.repository,
      pusher: SYSTEM,
      tips: [tip],
      decide: async (tx) => {
        const now = await findPull(tx, issueId);
        if (now === undefined || !now.isOpen || !(await this.#mayMove(tx, now, pusherId))) return [];
        // A push or another fetch has moved it meanwhile, perhaps to a newer tip.
        if (now.head.sha !== head.sha) return [];
        const moving = { issueId, repositoryId, number: now.number, branch: head.branch, sha: now.head.sha };
        return this.move(tx, moving, tip, { pusherId, isFetched: true });
      },
    });
  }

  /**
   * Whether a push to a fork may move the head of a pull request: its author may still read the code there, because
   * hidden code would come into the base otherwise, and the owner of the base has not blocked the user who pushed.
   *
   * @param pusherId null: a key, or the server; it acts for the author then
   */
  async #mayMove(
    db: Db,
    { issueId, repositoryId, head }: PullState,
    pusherId: number | null,
  ): Promise<boolean> {
    if (head.repositoryId === repositoryId) return true;
    const found = await findIssueById(db, issueId);
    const authorId = found?.state.authorId ?? null;
    if (authorId === null || head.repositoryId === null) return false;
    if (await isBlockedAt(db, repositoryId, pusherId ?? authorId)) return false;
    const readers = { level: 'read', accountIds: [authorId] } as const;
    return (await findWithCode(db, head.repositoryId, readers)).has(authorId);
  }

  /** Moves the head of a pull request, in the transaction that moves its ref. @returns the ref */
  async move(
    tx: Tx,
    { issueId, repositoryId, number, sha: before }: MovingHead,
    after: Oid,
    how: Pick<HeadMove, 'pusherId' | 'isFetched'>,
  ): Promise<readonly FollowingRef[]> {
    if (before === after) return [];
    await setHead(tx, issueId, after);
    const payload = { issueId, repositoryId, number, before, after, ...how };
    await this.#use.jobs.enqueue(tx, RECORD, { payload });
    await this.#use.checkJobs.enqueue(tx, issueId);
    await this.headMoving.notify(tx, payload);
    return [{ ref: pullHeadRef(number), commit: after }];
  }

  /** Records the move of a head in the timeline, with the commits that came. */
  async #record(move: HeadMove): Promise<void> {
    const { issueId, repositoryId, before, after, pusherId } = move;
    const snapshot = await this.#use.git.refs.open(repositoryId);
    const base = { snapshot, oid: before };
    const head = { snapshot, oid: after };
    // The former head may have been deleted, if the push replaced it long ago.
    const found = await snapshot.objects.info(before);
    const without = found === undefined ? [] : [base];
    const limit = PULL_LIMITS.pushedCommitsNamedMax;
    const commits = await this.#use.git.history.listCommits(
      { head, without, path: null },
      { limit, offset: 0 },
    );
    const isForced = found === undefined || (await this.#use.git.history.countBetween(base, head)).behind > 0;
    await this.#use.database.transaction(async (tx) => {
      await this.#use.repositories.lock(tx, SYSTEM, repositoryId, PULL.read);
      if ((await findPull(tx, issueId)) === undefined) return;
      const details = { before, after, isForced, commits };
      const by = { authorId: pusherId, at: currentTimeMs() };
      await addEntriesOf(tx, { id: issueId, repositoryId }, by, [{ kind: 'pull_push', details }]);
      const payload = { issueId, number: move.number, before, after };
      await insertEvent(tx, PULL_SYNCHRONIZED, { actorId: pusherId, repositoryId, payload });
    });
  }

  /** Closes the pull requests from and to a branch that is gone, unless it came back. */
  async #close({ repositoryId, branch, pusherId }: GoneBranch): Promise<void> {
    const { database } = this.#use;
    const snapshot = await this.#use.git.refs.open(repositoryId);
    if (snapshot.ref(branchRef(branch)) !== undefined) return;
    const { heads } = await findDependents(database.reader, repositoryId, [branch]);
    for (const { issueId } of heads) await this.#closeOne(issueId, pusherId);
    const countMax = PULL_LIMITS.pullsCheckedAtOnce;
    for (let after = 0; ; ) {
      const ids = await listOpenWithBase(database.reader, { repositoryId, branch }, { after, countMax });
      for (const id of ids) await this.#closeOne(id, pusherId);
      const last = ids.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  async #closeOne(issueId: number, pusherId: number | null): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const pull = await findPull(tx, issueId);
      if (pull === undefined) return;
      await this.#use.repositories.lock(tx, SYSTEM, pull.repositoryId, PULL.read);
      const issue = await findIssueById(tx, issueId);
      if (issue === undefined || issue.state.isClosed) return;
      await cancelScheduled(tx, pull, pusherId);
      await closeIssueFor(tx, issue.state, { authorId: pusherId, at: currentTimeMs() });
    });
  }
}

function branchOf(ref: string): string {
  return ref.slice(BRANCHES.length);
}

function branchesOf(updates: readonly RefUpdate[]): readonly string[] {
  return updates.map(({ ref }) => branchOf(ref));
}
