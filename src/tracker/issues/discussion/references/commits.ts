import { BY_PASSWORD, type SignedIn, viewerOf } from '../../../../api/access/viewer.ts';
import { ForgeError } from '../../../../base/core/failure.ts';
import type { Database, Tx } from '../../../../base/database/database.ts';
import { defineJob } from '../../../../base/jobs/model.ts';
import type { Jobs } from '../../../../base/jobs/service.ts';
import type { Commit, Oid } from '../../../../git/format/model.ts';
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
import { type IssueAccess, mayManage, readIssue } from '../../access.ts';
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
      if (!update.ref.startsWith('refs/heads/')) continue;
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

  /** @throws ForgeError if the pusher may not read the issue, or its repository is archived */
  async #follow(pusher: SignedIn, { target, source, isOnDefaultBranch }: FollowedReference): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const action = ISSUE.comment;
      const permitted = await this.#use.access.lock(tx, pusher, target.repositoryId, action);
      requireNotArchived(permitted.repository);
      const { state } = await readIssue(tx, pusher, permitted, { number: target.number, action });
      const recording = { tx, viewer: pusher, at: Date.now() };
      if (await isFirst(tx, sourceOf(source), state.id)) {
        const details = { commit: source.commit, refAction: target.keyword ?? ('none' as const) };
        await addEntries(recording, state, [{ kind: 'commit_ref', details }]);
      }
      if (isOnDefaultBranch) await this.#obey(recording, { permitted, state, target, by: sourceOf(source) });
    });
  }

  /**
   * Closes and reopens issues as the title and text of a merged pull request say, with the rights of who has merged it.
   *
   * @param pull id of its issue, and its repository. `isLimited`: other repositories are out of reach
   */
  async followMerge(
    merger: SignedIn,
    pull: { readonly issueId: number; readonly repositoryId: RepositoryId; readonly isLimited: boolean },
    text: ReadText,
  ): Promise<void> {
    const action = ISSUE.comment;
    for (const { repositoryId: named, number, keyword } of text.issues) {
      if (keyword === undefined) continue;
      const repositoryId = named ?? pull.repositoryId;
      if (pull.isLimited && repositoryId !== pull.repositoryId) continue;
      const closing = async (tx: Tx) => {
        const permitted = await this.#use.access.lock(tx, merger, repositoryId, action);
        requireNotArchived(permitted.repository);
        const { state } = await readIssue(tx, merger, permitted, { number, action });
        const recording = { tx, viewer: merger, at: Date.now() };
        const by = `merge:${pull.issueId}`;
        await this.#obey(recording, { permitted, state, target: { keyword }, by });
      };
      await unlessFailed(() => this.#use.database.transaction(closing));
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
   * Does what a keyword asks for, as far as the viewer may.
   *
   * @param by names what has the keyword: it works once, because an issue may have been reopened since
   */
  async #obey(
    recording: Recording,
    {
      permitted,
      state,
      target: { keyword },
      by,
    }: {
      readonly permitted: PermittedRepository;
      readonly state: IssueState;
      readonly target: Pick<IssueTarget, 'keyword'>;
      readonly by: string;
    },
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

interface FollowedReference {
  readonly target: IssueTarget & { readonly repositoryId: RepositoryId };
  readonly source: { readonly repositoryId: RepositoryId; readonly commit: Oid };
  readonly isOnDefaultBranch: boolean;
}

function targetsOf({ issues }: ReadText, { repositoryId, isLimited }: PushedCommits) {
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
