import { reaches } from '../../api/access/levels.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { conflict, ForgeError, forbidden, invalid, notFound, undefinedIf } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { Oid } from '../../git/format/model.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../hosting/repositories/refs/push-rules.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { type IssuePath, mayManage, type PermittedIssue } from '../issues/access.ts';
import type { ReadText } from '../issues/discussion/references/read.ts';
import type { Issue, IssueState } from '../issues/model.ts';
import type { IssueMarks } from '../issues/planning/marks/service.ts';
import { completeIssue } from '../issues/read.ts';
import { type Recording, replaceLabels } from '../issues/record.ts';
import { findIssueById } from '../issues/server-changes.ts';
import type { Issues } from '../issues/service.ts';
import { requireOffered } from '../labels/of-issues.ts';
import { PULL } from './actions.ts';
import { cancelScheduled } from './cancel-scheduled.ts';
import type { CheckJobs } from './checks/jobs.ts';
import type { PullChecks } from './checks/service.ts';
import { findHead, type NamedHead } from './heads/find.ts';
import type { HeadFollower } from './heads/follow.ts';
import type { NewPull, Pull, PullBranches, PullEdit, PullFilter, PullState } from './model.ts';
import { alreadyOpen, type PullOpener, requireReadable } from './opening.ts';
import { completePulls, type OpenBase } from './read.ts';
import type { Retargeting } from './retargeting.ts';
import {
  findNewestBetween,
  findOpenBetween,
  findPull,
  getPull,
  setBase,
  setMaintainerEdit,
} from './store/pulls.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly issues: Issues;
  readonly marks: IssueMarks;
  readonly checks: PullChecks;
  readonly checkJobs: CheckJobs;
  readonly headFollower: HeadFollower;
  readonly opener: PullOpener;
  readonly retargeting: Retargeting;
}

/** Pull requests. Each is an issue, which `issues/` changes, with two branches. */
export class Pulls {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * @throws ForgeError as `Issues.list`; `bad_request` for an unknown author; `not_found` for a head in an unknown
   *   repository
   */
  async list(viewer: Viewer, path: RepositoryPath, filter: PullFilter, paging: Paging): Promise<Page<Pull>> {
    const { base: baseBranch, head, createdBy, ...ofIssues } = filter;
    const opened = await this.open(viewer, path);
    const { repository } = opened.base;
    const author =
      createdBy === undefined ? undefined : await this.#use.accounts.getForFilter(viewer, createdBy);
    const named =
      head === undefined ? undefined : await findHead(this.#use.repositories, viewer, repository, head);
    const pulls = {
      base: baseBranch,
      ...(named === undefined ? {} : { head: { branch: named.branch, repositoryId: named.repository.id } }),
    };
    const wanted = { ...ofIssues, createdById: author?.id, pulls };
    const found = await this.#use.issues.list(viewer, path, wanted, paging, PULL.read);
    return { total: found.total, items: await this.complete(viewer, opened, found.items) };
  }

  /** Lists the pinned pull requests in their order. @throws ForgeError as `IssueAccess.repository` */
  async listPinned(viewer: Viewer, path: RepositoryPath): Promise<readonly Pull[]> {
    const opened = await this.open(viewer, path);
    const pinned = await this.#use.marks.listPinned(viewer, path, { isPull: true, action: PULL.read });
    return this.complete(viewer, opened, pinned);
  }

  /**
   * Reads a pull request. If its merge has not been checked since a branch moved, waits a little for that.
   *
   * @throws ForgeError as `IssueAccess.get`
   */
  async get(viewer: Viewer, path: IssuePath): Promise<Pull> {
    const { permitted, state } = await this.permitted(viewer, path);
    return this.#readChecked(viewer, permitted, state.id);
  }

  async #readChecked(viewer: Viewer, base: PermittedRepository, issueId: number): Promise<Pull> {
    const opened = await this.#opened(base);
    const pull = await getPull(this.#use.database.reader, issueId);
    const tip = opened.snapshot.ref(branchRef(pull.baseBranch)) ?? null;
    await this.#use.checks.checkSoon(pull, tip);
    return this.read(viewer, opened, issueId);
  }

  /** Finds the newest pull request between two branches. @throws ForgeError as `get` */
  async getBetween(viewer: Viewer, path: RepositoryPath, branches: PullBranches): Promise<Pull> {
    const { base } = await this.open(viewer, path);
    const { repository } = base;
    const head = await findHead(this.#use.repositories, viewer, repository, branches.head);
    const number = await findNewestBetween(this.#use.database.reader, {
      repositoryId: repository.id,
      baseBranch: branches.base,
      headRepositoryId: head.repository.id,
      headBranch: head.branch,
    });
    if (number === undefined) throw notFound('pull request');
    return this.get(viewer, { repository: path, number: `${number}` });
  }

  /** @throws ForgeError `not_found` unless it is merged */
  async requireMerged(viewer: Viewer, path: IssuePath): Promise<void> {
    const { state } = await this.permitted(viewer, path);
    const { merge } = await getPull(this.#use.database.reader, state.id);
    if (merge === null) throw notFound('merge');
  }

  /**
   * Opens a pull request.
   *
   * @throws ForgeError as `IssueAccess.changeIn`; `not_found` for a missing branch, or code that the viewer may not read;
   *   `conflict` if the two branches have an open one; `invalid`
   */
  async create(viewer: SignedIn, path: RepositoryPath, wanted: NewPull): Promise<Pull> {
    const { repositories, issues } = this.#use;
    const text = await issues.texts.issue(viewer, wanted);
    const permitted = await issues.access.repository(viewer, path, PULL.create);
    requireNotArchived(permitted.repository);
    requireReadable(permitted);
    const head = await findHead(repositories, viewer, permitted.repository, wanted.head);
    const { base } = await this.#opened(permitted);
    return this.#insert(viewer, { base, head, wanted, text });
  }

  /**
   * Changes a pull request.
   *
   * @param requireCurrent throws if the caller does not accept it as it is
   * @throws ForgeError as `Issues.edit`; `not_found` for a missing base; `conflict` for a base of a merged one, or with
   *   another open one between the same branches; `forbidden` for edits by maintainers, unless the viewer may write the head
   */
  async edit(
    viewer: SignedIn,
    path: IssuePath,
    edit: PullEdit,
    requireCurrent: (current: Pull) => void,
  ): Promise<Pull> {
    const { base: baseBranch, labels, allowsMaintainerEdit, ...ofIssue } = edit;
    const { permitted } = await this.permitted(viewer, path, PULL.change);
    const opened = await this.#opened(permitted);
    if (baseBranch !== undefined) {
      requireReadable(permitted);
      tipOf(opened.snapshot, baseBranch);
    }
    const issue = await this.#use.issues.edit(viewer, path, ofIssue, {
      kind: 'pull',
      action: PULL.change,
      requireCurrent: () => {},
      also: async (recording, found) => {
        const { state } = found;
        const pull = await getPull(recording.tx, state.id);
        requireCurrent(await this.read(viewer, opened, state.id, recording.tx));
        if (allowsMaintainerEdit !== undefined) await this.#allowEdits(recording, pull, allowsMaintainerEdit);
        if (labels !== undefined) await this.#relabel(recording, found, labels);
        if (baseBranch !== undefined) await this.#retarget(recording, pull, baseBranch);
      },
    });
    if (ofIssue.isClosed !== false) return this.read(viewer, opened, issue.id);
    // The job that reopening enqueues does the same; the answer should have the commits that came meanwhile.
    await this.#use.headFollower
      .fetch(issue.id, viewer.accountId)
      .catch(undefinedIf('busy', 'archived', 'too_large', 'not_found'));
    return this.#readChecked(viewer, permitted, issue.id);
  }

  /**
   * Requires that a pull request may be reopened, or closed.
   *
   * @throws ForgeError `precondition_failed` if it is merged; `conflict` if its branches have another open one; `invalid` if
   *   one of them is gone
   */
  async beforeStateChange(
    recording: Recording,
    state: IssueState,
    { isClosed }: { readonly isClosed: boolean },
  ): Promise<void> {
    const { tx, viewer } = recording;
    const pull = await findPull(tx, state.id);
    if (pull === undefined) return;
    if (pull.merge !== null) {
      const what = 'the pull request is merged: its state cannot change';
      throw new ForgeError({ kind: 'precondition_failed', what });
    }
    if (isClosed) {
      await cancelScheduled(tx, pull, viewer.accountId);
      return;
    }
    const { head, repositoryId, baseBranch } = pull;
    const snapshot = await this.#use.git.refs.open(repositoryId);
    const hasBase = snapshot.ref(branchRef(baseBranch)) !== undefined;
    if (!hasBase) throw invalid(`the branch ${baseBranch} is gone: the pull request cannot be reopened`);
    const isOfBranch = pull.flow === 'branch';
    if (head.repositoryId === null || (isOfBranch && !head.hasBranch))
      throw invalid(`the branch ${head.branch} is gone: the pull request cannot be reopened`);
    const ends = { repositoryId, baseBranch, headRepositoryId: head.repositoryId, headBranch: head.branch };
    const other = await findOpenBetween(tx, ends, pull.flow);
    if (other !== undefined) throw alreadyOpen(other);
    if (isOfBranch) await this.#use.headFollower.enqueue(tx, state.id, viewer.accountId);
    await this.#use.checkJobs.enqueue(tx, state.id);
  }

  /** @throws ForgeError as `IssueAccess.repository` */
  async open(viewer: Viewer, path: RepositoryPath): Promise<OpenBase> {
    return this.#opened(await this.#use.issues.access.repository(viewer, path, PULL.read));
  }

  /** Looks a pull request up. @throws ForgeError as `IssueAccess.get` */
  permitted(viewer: Viewer, path: IssuePath, action: typeof PULL.read | typeof PULL.change = PULL.read) {
    return this.#use.issues.access.get(viewer, path, action, { kind: 'pull' });
  }

  /** Adds the fields of pull requests to issues of one repository. */
  complete(viewer: Viewer, opened: OpenBase, issues: readonly Issue[]): Promise<readonly Pull[]> {
    const { database, repositories } = this.#use;
    return completePulls(database.reader, viewer, { ...opened, repositories }, issues);
  }

  /** Reads a pull request by the id of its issue. @throws ForgeError `not_found` */
  async read(
    viewer: Viewer,
    opened: OpenBase,
    issueId: number,
    db: Tx | Database['reader'] = this.#use.database.reader,
  ): Promise<Pull> {
    const { repositories } = this.#use;
    const { repository } = opened.base;
    const found = await findIssueById(db, issueId, viewer);
    if (found === undefined) throw notFound('pull request');
    const issue = await completeIssue(db, viewer, { ...found, repository });
    const [pull] = await completePulls(db, viewer, { ...opened, repositories }, [issue]);
    if (pull === undefined) throw notFound('pull request');
    return pull;
  }

  async #opened(base: PermittedRepository): Promise<OpenBase> {
    return { base, snapshot: await this.#use.git.refs.open(base.repository.id) };
  }

  async #insert(
    viewer: SignedIn,
    {
      base,
      head,
      wanted,
      text,
    }: {
      readonly base: PermittedRepository;
      readonly head: NamedHead;
      readonly wanted: NewPull;
      readonly text: ReadText;
    },
  ): Promise<Pull> {
    const { repository } = base;
    const { git, pushes, database } = this.#use;
    const isOwn = head.repository.id === repository.id;
    if (isOwn && head.branch === wanted.base) throw invalid('the base and the head are the same branch');
    await using session = await git.writes.begin(repository.id);
    tipOf(session.base, wanted.base);
    const from = isOwn ? session.base : await git.refs.open(head.repository.id);
    const sha = tipOf(from, head.branch);
    const ends = {
      repositoryId: repository.id,
      baseBranch: wanted.base,
      headRepositoryId: head.repository.id,
      headBranch: head.branch,
    };
    const other = await findOpenBetween(database.reader, ends, 'branch');
    if (other !== undefined) throw alreadyOpen(other);
    if (!isOwn) await session.copyFrom(from, [sha]);
    let issueId = 0;
    await pushes.moveOwnRefs(session, {
      repository,
      pusher: viewer,
      tips: [sha],
      decide: async (tx) => {
        const fields = { ...wanted, text };
        const opened = await this.#use.opener.insert(tx, { viewer, flow: 'branch', ends, sha, fields });
        issueId = opened.state.id;
        return [opened.head];
      },
    });
    return this.#readChecked(viewer, base, issueId);
  }

  async #retarget({ tx, viewer }: Recording, pull: PullState, to: string): Promise<void> {
    const { baseBranch: from, head, issueId: id, repositoryId, number } = pull;
    if (pull.merge !== null) throw conflict('the pull request is merged: its base cannot change');
    if (!pull.isOpen) throw invalid('the pull request is closed: its base cannot change');
    if (from === to) return;
    if (pull.flow === 'branch' && head.repositoryId === repositoryId && head.branch === to)
      throw invalid('the base and the head are the same branch');
    if (!(await setBase(tx, id, to))) throw alreadyOpen(undefined);
    const pulls = [{ issueId: id, number }];
    await this.#use.retargeting.record(tx, { repositoryId, pulls, from, to, actorId: viewer.accountId });
  }

  async #allowEdits({ tx, viewer }: Recording, pull: PullState, isAllowed: boolean): Promise<void> {
    const { repositoryId } = pull.head;
    const head =
      repositoryId === null ? undefined : await this.#use.repositories.find(tx, viewer, repositoryId);
    if (head === undefined || !reaches(head.units.code, 'write'))
      throw forbidden('only people who may write the head can allow edits by maintainers');
    await setMaintainerEdit(tx, pull.issueId, { isAllowed, byId: viewer.accountId });
  }

  /** @throws ForgeError `invalid` for a label that the repository lacks. People who may not write change nothing */
  async #relabel(
    recording: Recording,
    { state, permitted }: PermittedIssue,
    ids: readonly number[],
  ): Promise<void> {
    if (!mayManage(permitted, state)) return;
    const labels = await requireOffered(recording.tx, permitted.repository, ids);
    await replaceLabels(
      recording,
      state,
      labels.map(({ id }) => id),
    );
  }
}

/** @throws ForgeError `not_found` */
function tipOf(snapshot: Snapshot, branch: string): Oid {
  const tip = snapshot.ref(branchRef(branch));
  if (tip === undefined) throw notFound('branch', { say: `the branch ${branch} does not exist` });
  return tip;
}
