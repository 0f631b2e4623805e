import type { SignedIn } from '../../../api/access/viewer.ts';
import { conflict, ForgeError, notFound } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import { signatureAt } from '../../../git/trees/commit-builder.ts';
import { requirePermitted } from '../../../hosting/repositories/authorize.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../../hosting/repositories/refs/push-rules.ts';
import {
  type BranchWriter,
  type BuiltChange,
  Superseded,
} from '../../../hosting/repositories/refs/write-branch.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { Authentication } from '../../../people/authentication/service.ts';
import type { IssuePath, PermittedIssue } from '../../issues/access.ts';
import type { IssueState } from '../../issues/model.ts';
import { addEntries } from '../../issues/record.ts';
import { isDraft } from '../../issues/rules.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL } from '../actions.ts';
import { cancelScheduled } from '../cancel-scheduled.ts';
import { rethrowWithHead } from '../heads/missing.ts';
import type { MergeWish, PullState } from '../model.ts';
import { findPull, getPull } from '../store/pulls.ts';
import { deleteScheduled, findScheduled, insertScheduled } from '../store/scheduled.ts';
import { type AfterMerge, earlierViewerOf, ifCredentialIsGone, ifNotDeletable } from './after-merge.ts';
import { buildMerge } from './build-commits.ts';
import type { MergeMessages } from './compose.ts';
import type { MergeRecorder } from './recorder.ts';
import { type MergeRules, notMergeable, requireNoDependency, requireStyle } from './rules.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly repositories: Repositories;
  readonly branches: BranchWriter;
  readonly issues: Issues;
  readonly recorder: MergeRecorder;
  readonly rules: MergeRules;
  readonly messages: MergeMessages;
  readonly afterMerge: AfterMerge;
}

/** A merge that the rules were found to allow. */
interface Merging {
  readonly viewer: SignedIn;
  readonly permitted: PermittedRepository;
  readonly issue: IssueState;
  /** as it was then; for a `BuiltMerge`, when its commits were written */
  readonly pull: PullState;
  readonly wish: MergeWish;
  /** An administrator skips the protection of the base. */
  readonly isForced: boolean;
}

/** A merge whose commits are written. */
interface BuiltMerge extends Merging {
  readonly sha: Oid;
  readonly mergeBase: Oid | null;
  readonly isBehind: boolean;
}

/** Merges pull requests. */
export class PullMerges {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Merges a pull request, or schedules the merge if the request says so and the protection of the base does not allow it
   * yet.
   *
   * @throws ForgeError as `IssueAccess.get`; `not_found` for a closed one; `method_not_allowed` if it may not be merged (now,
   *   so, or by the viewer); `conflict` if it cannot be merged, is scheduled already, or has another head than the caller
   *   has seen; `archived`, `busy`. If the merge stands, but its branch cannot be deleted: as `BranchChanges.delete`
   */
  async merge(viewer: SignedIn, path: IssuePath, wish: MergeWish): Promise<'merged' | 'scheduled'> {
    const found = await this.#use.issues.access.get(viewer, path, PULL.merge, { kind: 'pull' });
    const { permitted, state: issue } = found;
    requireNotArchived(permitted.repository);
    const pull = await this.#requireOpen(this.#use.database.reader, issue.id);
    const candidate = { viewer, permitted, pull, isBehind: await this.#isBehind(pull) };
    const db = this.#use.database.reader;
    await this.#use.rules.requireMerger(db, candidate);
    if (isDraft(issue.title)) throw notMergeable('the pull request is a draft: mark it as ready first');
    requireStyle(permitted, wish.style);
    requireSeen(pull, wish);
    await requireNoDependency(db, candidate);
    const isForced = wish.isForced && (await this.#use.rules.maySkip(db, candidate));
    const problem = isForced ? undefined : await this.#use.rules.problemWith(db, candidate);
    if (problem !== undefined && wish.waits && wish.style !== 'manually-merged') {
      await this.#schedule(viewer, path, { wish, seen: pull });
      return 'scheduled';
    }
    if (problem !== undefined) throw notMergeable(problem);
    const merging = { viewer, permitted, issue, pull, wish, isForced };
    if (wish.style === 'manually-merged') await this.#recordManual(merging);
    else await this.#write(merging);
    await this.#deleteBranch(viewer, issue.id, wish);
    return 'merged';
  }

  /** Cancels a scheduled merge. @throws ForgeError as `merge`; `not_found` if there is none; `forbidden` */
  async cancel(viewer: SignedIn, path: IssuePath): Promise<void> {
    await this.#use.issues.access.change(
      viewer,
      path,
      PULL.merge,
      async (tx, { permitted, state }) => {
        const scheduled = await findScheduled(tx, state.id);
        if (scheduled === undefined) throw notFound('scheduled merge');
        if (scheduled.by.accountId !== viewer.accountId) requirePermitted(viewer, permitted, PULL.administer);
        await deleteScheduled(tx, [state.id]);
        const recording = { tx, viewer, at: currentTimeMs() };
        await addEntries(recording, state, [{ kind: 'pull_cancel_scheduled_merge' }]);
      },
      { kind: 'pull' },
    );
  }

  /**
   * Merges a pull request whose merge is scheduled, if its protection allows it now. Cancels a merge whose credential is
   * gone.
   */
  async tryScheduled(issueId: number): Promise<void> {
    const { database, repositories, authentication } = this.#use;
    const pull = await findPull(database.reader, issueId);
    // Read after the branches: what cancels the merge changes them in the same transaction.
    const scheduled = await findScheduled(database.reader, issueId);
    if (scheduled === undefined || pull === undefined) return;
    const { by, wish } = scheduled;
    const viewer = await authentication.viewerAgain(by).catch(ifCredentialIsGone);
    if (viewer === undefined) {
      await database.transaction((tx) => cancelScheduled(tx, pull, null));
      return;
    }
    const permitted = await repositories.find(database.reader, viewer, pull.repositoryId);
    if (permitted === undefined) return;
    const { owner, name } = permitted.repository;
    const path = { repository: { owner: owner.name, name }, number: `${pull.number}` };
    await this.merge(viewer, path, {
      ...wish,
      head: pull.head.sha,
      baseBranch: pull.baseBranch,
      waits: false,
      isScheduled: true,
    }).catch(unlessNotNow);
  }

  /** The merge stands. A deletion that no request asked for does not fail it. */
  async #deleteBranch(viewer: SignedIn, issueId: number, wish: MergeWish): Promise<void> {
    const deleting = this.#use.afterMerge.deleteBranch(viewer, issueId, wish);
    await (wish.deletesBranch === undefined ? deleting.catch(ifNotDeletable) : deleting);
  }

  async #write(merging: Merging): Promise<void> {
    const { viewer, permitted, pull, isForced } = merging;
    await this.#use.branches
      .write({
        repository: permitted.repository,
        origin: { kind: 'api', merges: isForced ? 'by-force' : 'by-rules' },
        branch: pull.baseBranch,
        pusher: viewer,
        build: (session, tip) => this.#build(session, tip, merging),
      })
      .catch(asNotMergeable);
  }

  async #build(session: WriteSession, onto: Oid | null, merging: Merging): Promise<BuiltChange<undefined>> {
    const { viewer, issue, wish } = merging;
    const { baseBranch } = merging.pull;
    const { style } = wish;
    if (style === 'manually-merged') throw new Error('a merge by hand has no commits');
    const pull = await this.#requireOpen(this.#use.database.reader, issue.id);
    requireSeen(pull, { ...wish, baseBranch });
    if (onto === null) throw notFound('branch', { say: `the branch ${baseBranch} does not exist` });
    const head = pull.head.sha;
    const person = await this.#use.accounts.commitPerson(viewer.accountId);
    const committer = signatureAt(person, currentTimeMs());
    const build = async () => {
      const written = await this.#use.messages.compose(session, { ...merging, pull, onto, committer });
      const plan = { onto, head, author: written.author, committer, message: written.message };
      return buildMerge(session, style, plan);
    };
    const { commit, base: mergeBase } = await build().catch((error) =>
      rethrowWithHead(error, { objects: session.objects, head, kind: 'conflict' }),
    );
    const built = { ...merging, pull, sha: commit, mergeBase, isBehind: mergeBase !== onto };
    return { commit, result: undefined, afterRules: (tx) => this.#record(tx, built) };
  }

  /** Records a merge in the transaction that moves the branch. */
  async #record(tx: Tx, built: BuiltMerge): Promise<void> {
    const { viewer, pull, isForced, isBehind } = built;
    const permitted = await this.#use.issues.access.lock(tx, viewer, pull.repositoryId, PULL.merge);
    const now = await this.#requireOpen(tx, pull.issueId);
    // The head has moved, or the base is another one: the merge has to be built again.
    if (now.head.sha !== pull.head.sha || now.baseBranch !== pull.baseBranch) throw new Superseded();
    const candidate = { viewer, permitted, pull: now, isBehind };
    await this.#use.rules.requireMerger(tx, candidate);
    await requireNoDependency(tx, candidate);
    const skips = isForced && (await this.#use.rules.maySkip(tx, candidate));
    const problem = skips ? undefined : await this.#use.rules.problemWith(tx, candidate);
    if (problem !== undefined) throw notMergeable(problem);
    const { sha, mergeBase, wish } = built;
    await this.#use.recorder.record(tx, {
      pull: now,
      mergerId: viewer.accountId,
      asked: { by: earlierViewerOf(viewer), wish },
      sha,
      mergeBase,
      style: wish.style,
    });
  }

  /** Records a merge that was made without the server. */
  async #recordManual(merging: Merging): Promise<void> {
    const { pull, wish } = merging;
    const sha = wish.mergedCommit ?? '';
    await using session = await this.#use.git.writes.begin(pull.repositoryId);
    const tip = session.base.ref(branchRef(pull.baseBranch));
    const isThere =
      tip !== undefined &&
      (await session.objects.info(sha))?.type === 'commit' &&
      (await session.isReached({ ancestor: sha, descendant: tip }));
    if (!isThere) throw notMergeable('MergeCommitID names no commit of the base');
    const built = { ...merging, sha, mergeBase: null, isBehind: false };
    await this.#use.database.transaction((tx) => this.#record(tx, built)).catch(asConflict);
  }

  /** @param seen the pull request for which the caller has decided */
  async #schedule(
    viewer: SignedIn,
    path: IssuePath,
    { wish, seen }: { readonly wish: MergeWish; readonly seen: PullState },
  ): Promise<void> {
    const by = earlierViewerOf(viewer);
    await this.#use.issues.access.change(
      viewer,
      path,
      PULL.merge,
      async (tx, { state }: PermittedIssue) => {
        const pull = await this.#requireOpen(tx, state.id);
        if (pull.baseBranch !== seen.baseBranch || pull.head.sha !== seen.head.sha)
          throw conflict('the pull request has changed meanwhile: try again');
        if (!(await insertScheduled(tx, state.id, { wish, by })))
          throw conflict('the merge of this pull request is scheduled already');
        await addEntries({ tx, viewer, at: currentTimeMs() }, state, [{ kind: 'pull_scheduled_merge' }]);
      },
      { kind: 'pull' },
    );
  }

  /** @throws ForgeError `not_found` for a closed pull request, `method_not_allowed` for a merged one */
  async #requireOpen(db: Tx | Database['reader'], issueId: number): Promise<PullState> {
    const pull = await getPull(db, issueId);
    if (pull.merge !== null) throw notMergeable('the pull request is merged already');
    if (!pull.isOpen) throw notFound('open pull request');
    return pull;
  }

  /** Whether the base has commits that the head lacks, as far as the last check knows. */
  async #isBehind({ repositoryId, baseBranch, mergeBase }: PullState): Promise<boolean> {
    const snapshot = await this.#use.git.refs.open(repositoryId);
    return snapshot.ref(branchRef(baseBranch)) !== mergeBase;
  }
}

/** @throws ForgeError `conflict` if the caller has seen another head or base */
function requireSeen({ head, baseBranch }: PullState, wish: MergeWish): void {
  if (wish.head !== undefined && wish.head !== head.sha) throw conflict('head out of date');
  if (wish.baseBranch !== undefined && wish.baseBranch !== baseBranch)
    throw conflict('the base has changed meanwhile: try again');
}

/** The pull request has changed while it was looked at. */
function asConflict(error: unknown): never {
  throw error instanceof Superseded ? conflict('the pull request has changed meanwhile: try again') : error;
}

/** A protection of the base denies the merge. */
function asNotMergeable(error: unknown): never {
  const failure = error instanceof ForgeError ? error.failure : undefined;
  const isProtected = failure?.kind === 'forbidden' && failure.reason === 'protected';
  throw isProtected ? notMergeable(failure.what) : error;
}

/** A merge that is not possible now waits for the next event. */
function unlessNotNow(error: unknown): void {
  const kind = error instanceof ForgeError ? error.failure.kind : undefined;
  if (kind === undefined || kind === 'busy') throw error;
}
