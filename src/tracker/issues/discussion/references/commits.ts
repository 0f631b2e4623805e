import { BY_PASSWORD, type SignedIn, viewerOf } from '../../../../api/access/viewer.ts';
import { ForgeError } from '../../../../base/core/failure.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../../base/database/database.ts';
import { defineJob } from '../../../../base/jobs/model.ts';
import type { Jobs } from '../../../../base/jobs/service.ts';
import type { Commit, Oid } from '../../../../git/format/model.ts';
import { BRANCHES } from '../../../../git/format/ref-names.ts';
import type { RefUpdate } from '../../../../git/interface/refs.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../../git/interface/storage.ts';
import type { WriteSession } from '../../../../git/interface/writes.ts';
import type { PermittedRepository } from '../../../../hosting/repositories/model.ts';
import { isCopy, requireNotArchived } from '../../../../hosting/repositories/refs/push-rules.ts';
import type { Moving } from '../../../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import { isReadableKind } from '../../../../hosting/repositories/tracker.ts';
import type { Addresses } from '../../../../http/app.ts';
import { maySignIn } from '../../../../people/accounts/model.ts';
import type { Accounts } from '../../../../people/accounts/service.ts';
import { referencesInMessage } from '../../../references/parse.ts';
import { type IssueAccess, mayManage, type PermittedIssue, readIssue } from '../../access.ts';
import { ISSUE } from '../../actions.ts';
import { editIssue, type PullStateChanging } from '../../edit.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import type { IssueState } from '../../model.ts';
import { findBlocked, isClosable } from '../../planning/dependencies/rules.ts';
import { addEntries, type Recording } from '../../record.ts';
import { type IssueTarget, NO_REFERENCES, type ReadText, type TextReader } from './read.ts';
import { findOpenIssues, insertReferences, sourceOf } from './store.ts';

/** Commits of one push whose messages refer to issues, the oldest first. */
interface PushedCommits {
  readonly repositoryId: RepositoryId;
  readonly pusherId: number;
  /** The credential of the push was a limited token, so it reaches no other repository. */
  readonly isLimited: boolean;
  readonly commits: readonly { readonly oid: Oid; readonly ref: string }[];
}

const RECORD = defineJob<PushedCommits>('issues.record-commits');

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
  readonly access: IssueAccess;
  readonly texts: TextReader;
  readonly pullStateChanging: PullStateChanging;
}

/**
 * Applies the messages of pushed commits to issues. A commit that refers to an issue appears in its timeline, and on
 * the default branch a word such as `fixes` closes the issue. A push only looks for references; a job follows them with
 * the rights of the pusher.
 */
export class CommitReferences {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#use.jobs.register(RECORD, (pushed, { signal }) => this.#record(pushed, signal));
  }

  async beforePush(
    session: WriteSession,
    updates: readonly RefUpdate[],
    { origin, pusher, later }: Moving,
  ): Promise<void> {
    const { accountId: pusherId } = pusher;
    // The commits of a copy refer to the issues of another repository.
    if (pusherId === null || isCopy(origin)) return;
    const commits: { oid: Oid; ref: string }[] = [];
    let left = ISSUE_LIMITS.commitsReadForIssuesMax;
    const refers = ({ message }: Commit) =>
      referencesInMessage(message, this.#use.addresses).issues.length > 0;
    for (const update of updates) {
      if (left <= 0) break;
      if (!update.ref.startsWith(BRANCHES)) continue;
      // The push succeeds without them.
      const added = await unlessFailed(
        () => newCommits(session, update, { countMax: left, refers }),
        'also busy',
      );
      left -= Math.max(1, added?.read ?? 1);
      for (const { oid } of added?.referring ?? []) commits.push({ oid, ref: update.ref });
    }
    if (commits.length === 0) return;
    const isLimited = pusher.limitedByToken !== null || pusher.publicOnly;
    later(async (tx, { repositoryId, moved }) => {
      const refs = new Set(moved.map(({ ref }) => ref));
      const kept = commits.filter(({ ref }) => refs.has(ref));
      if (kept.length === 0) return;
      const payload = { repositoryId, pusherId, isLimited, commits: kept };
      await this.#use.jobs.enqueue(tx, RECORD, { payload });
    });
  }

  async #record(pushed: PushedCommits, signal: AbortSignal): Promise<void> {
    const account = await this.#use.accounts.findSignInById(pushed.pusherId);
    if (account === undefined || !maySignIn(account)) return;
    const pusher = viewerOf(account, BY_PASSWORD);
    const snapshot = await unlessFailed(() => this.#use.git.refs.open(pushed.repositoryId));
    if (snapshot === undefined) return;
    for (const { oid, ref } of pushed.commits) {
      signal.throwIfAborted();
      // If a later push has replaced the commit, maintenance may have deleted it.
      const commit = await unlessFailed(() => snapshot.objects.readCommit(oid));
      if (commit === undefined) continue;
      const text = await this.#use.texts.message(pusher, commit.message);
      const isOnDefaultBranch = ref === snapshot.head;
      for (const target of targetsOf(text, pushed)) {
        const source = { repositoryId: pushed.repositoryId, commit: oid };
        await unlessFailed(() => this.#follow(pusher, { target, source, isOnDefaultBranch }));
      }
    }
  }

  /** @throws ForgeError as `#onIssue` */
  async #follow(pusher: SignedIn, { target, source, isOnDefaultBranch }: FollowedReference): Promise<void> {
    await this.#onIssue(pusher, target, async (recording, issue) => {
      const by = sourceOf(source);
      if (await isFirst(recording.tx, by, issue.state.id)) {
        const details = { commit: source.commit, refAction: target.keyword ?? ('none' as const) };
        await addEntries(recording, issue.state, [{ kind: 'commit_ref', details }]);
      }
      if (isOnDefaultBranch) await this.#obey(recording, issue, { keyword: target.keyword, by });
    });
  }

  /**
   * Closes and reopens issues as the title and text of a merged pull request say, with the rights of who has merged it.
   *
   * @param pull id of its issue, and its repository. `isLimited`: the credential reaches no other repository
   */
  async followMerge(
    merger: SignedIn,
    pull: { readonly issueId: number; readonly repositoryId: RepositoryId; readonly isLimited: boolean },
    text: ReadText,
  ): Promise<void> {
    const by = `merge:${pull.issueId}`;
    for (const { repositoryId: named, number, keyword } of text.issues) {
      if (keyword === undefined) continue;
      const repositoryId = named ?? pull.repositoryId;
      if (pull.isLimited && repositoryId !== pull.repositoryId) continue;
      await unlessFailed(() =>
        this.#onIssue(merger, { repositoryId, number }, (recording, issue) =>
          this.#obey(recording, issue, { keyword, by }),
        ),
      );
    }
  }

  /**
   * Lists issues that a pull request of their repository would close if the viewer merged it now.
   *
   * @param text title and text of the pull request
   * @returns numbers, in the order of the text
   */
  async listClosing(
    merger: SignedIn,
    permitted: PermittedRepository,
    text: ReadText,
  ): Promise<readonly number[]> {
    const { repository } = permitted;
    if (!isReadableKind(merger, permitted, ISSUE.comment, { isPull: false })) return [];
    const named = text.issues.filter(
      ({ repositoryId: id, keyword }) => keyword === 'closes' && (id === null || id === repository.id),
    );
    const numbers = [...new Set(named.map(({ number }) => number))];
    const { reader } = this.#use.database;
    const open = await findOpenIssues(reader, repository.id, numbers);
    const closable = open.filter((issue) => mayObey(merger, permitted, issue));
    const blocked = await findBlocked(
      reader,
      repository,
      closable.map(({ id }) => id),
    );
    const closing = new Set(closable.filter(({ id }) => !blocked.has(id)).map(({ number }) => number));
    return numbers.filter((number) => closing.has(number));
  }

  /**
   * Locks the repository of an issue, and works on the issue in the same transaction.
   *
   * @throws ForgeError if the viewer may not comment on the issue, or its repository is archived; any error of `work`
   */
  async #onIssue(
    viewer: SignedIn,
    { repositoryId, number }: Pick<LocatedTarget, 'repositoryId' | 'number'>,
    work: (recording: Recording, issue: PermittedIssue) => Promise<void>,
  ): Promise<void> {
    const action = ISSUE.comment;
    await this.#use.database.transaction(async (tx) => {
      const permitted = await this.#use.access.lock(tx, viewer, repositoryId, action);
      requireNotArchived(permitted.repository);
      const issue = await readIssue(tx, viewer, permitted, { number, action });
      await work({ tx, viewer, at: currentTimeMs() }, issue);
    });
  }

  /** Does what a keyword asks for, as far as the viewer may. */
  async #obey(
    recording: Recording,
    { permitted, state }: PermittedIssue,
    { keyword, by }: WrittenKeyword,
  ): Promise<void> {
    const { tx, viewer } = recording;
    // A keyword does not change a pull request, as in the reference.
    if (keyword === undefined || state.isPull) return;
    if (!(await isFirst(tx, `${keyword}:${by}`, state.id))) return;
    const isClosed = keyword === 'closes';
    if (state.isClosed === isClosed || !mayObey(viewer, permitted, state)) return;
    if (isClosed && !(await isClosable(tx, permitted.repository, state.id))) return;
    const { repositories, pullStateChanging } = this.#use;
    const context = { repositories, pullStateChanging, text: NO_REFERENCES };
    await editIssue(recording, state, { isClosed }, context);
  }
}

/** An issue that a text names, with the repository of the issue. */
interface LocatedTarget extends IssueTarget {
  readonly repositoryId: RepositoryId;
}

interface WrittenKeyword extends Pick<IssueTarget, 'keyword'> {
  /** Names what has the keyword. Its keyword works once, because an issue may have been reopened since. */
  readonly by: string;
}

interface FollowedReference {
  readonly target: LocatedTarget;
  readonly source: { readonly repositoryId: RepositoryId; readonly commit: Oid };
  readonly isOnDefaultBranch: boolean;
}

function targetsOf(
  { issues }: ReadText,
  { repositoryId, isLimited }: PushedCommits,
): readonly LocatedTarget[] {
  return issues
    .map((target) => ({ ...target, repositoryId: target.repositoryId ?? repositoryId }))
    .filter((target) => !isLimited || target.repositoryId === repositoryId);
}

/** Whether keywords of the viewer close and reopen an issue. */
function mayObey(
  viewer: SignedIn,
  permitted: PermittedRepository,
  issue: Pick<IssueState, 'authorId' | 'isPull'>,
): boolean {
  return mayManage(permitted, issue) || issue.authorId === viewer.accountId;
}

async function isFirst(tx: Tx, source: string, issueId: number): Promise<boolean> {
  return (await insertReferences(tx, source, [issueId])).has(issueId);
}

/** Returns undefined if something that the work needs is deleted, or hidden from the pusher. */
async function unlessFailed<T>(work: () => Promise<T>, also?: 'also busy'): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const isExpected = error instanceof ForgeError && (error.failure.kind !== 'busy' || also !== undefined);
    if (isExpected) return undefined;
    throw error;
  }
}

/**
 * Lists commits that an update adds to a branch and that refer to issues, the oldest first. Of many commits, it reads
 * only the newest. It needs a git process only if the new commits are not a straight line on top of the old tip.
 */
async function newCommits(
  session: WriteSession,
  { old, new: tip }: RefUpdate,
  { countMax, refers }: { countMax: number; refers: (commit: Commit) => boolean },
): Promise<{ readonly referring: readonly Commit[]; readonly read: number }> {
  if (tip === null) return { referring: [], read: 0 };
  const { base: before } = session;
  const isKnown = (oid: Oid) => (old === null ? before.isTip(oid) : oid === old);
  const { commits, end } = await straightLine(session, tip, { isKnown, countMax });
  const isFirst = before.countRefs('refs/') === 0;
  const isExact = end === 'known' ? old !== null : end !== 'merge' && isFirst;
  const referring = commits.filter(refers).reverse();
  if (isExact || (referring.length === 0 && end !== 'merge')) return { referring, read: commits.length };
  const base = old ?? (isFirst ? null : await session.findBranchBase(tip));
  const added: Commit[] = [];
  for (const oid of await session.listCommitsSince({ tip, base }, countMax))
    added.push(await session.objects.readCommit(oid));
  return { referring: added.filter(refers).reverse(), read: commits.length + added.length };
}

/**
 * Follows first parents until a known commit, the first commit, or a commit with several parents. The newest comes
 * first.
 */
async function straightLine(
  { objects }: WriteSession,
  tip: Oid,
  { isKnown, countMax }: { isKnown(oid: Oid): boolean; countMax: number },
): Promise<{ commits: readonly Commit[]; end: 'known' | 'root' | 'merge' | 'limit' }> {
  const commits: Commit[] = [];
  let next: Oid | undefined = tip;
  while (next !== undefined) {
    if (isKnown(next)) return { commits, end: 'known' };
    if (commits.length === countMax) return { commits, end: 'limit' };
    const commit: Commit = await objects.readCommit(next);
    if (commit.parents.length > 1) return { commits, end: 'merge' };
    commits.push(commit);
    next = commit.parents[0];
  }
  return { commits, end: 'root' };
}
