import { reaches } from '../../api/access/levels.ts';
import type { SignedIn } from '../../api/access/viewer.ts';
import { conflict, type ForgeError, notFound } from '../../base/core/failure.ts';
import { Signal } from '../../base/core/signal.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { Oid } from '../../git/format/model.ts';
import { pullHeadRef } from '../../git/format/ref-names.ts';
import type { FollowingRef } from '../../git/interface/writes.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { ReadText } from '../issues/discussion/references/read.ts';
import type { IssueState } from '../issues/model.ts';
import type { Recording } from '../issues/record.ts';
import type { Issues } from '../issues/service.ts';
import { PULL } from './actions.ts';
import type { CheckJobs } from './checks/jobs.ts';
import { PULL_OPENED } from './events.ts';
import type { HeadFollower } from './heads/follow.ts';
import type { PullFields, PullFlow, PullState } from './model.ts';
import { type Ends, insertPull } from './store/pulls.ts';

/** A pull request to insert. */
export interface Opening {
  readonly viewer: SignedIn;
  readonly flow: PullFlow;
  readonly ends: Ends;
  readonly sha: Oid;
  readonly fields: PullFields & { readonly text: ReadText };
}

/** A new pull request, and its ref. */
export interface Opened {
  readonly state: IssueState;
  readonly head: FollowingRef;
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly checkJobs: CheckJobs;
  readonly headFollower: HeadFollower;
}

/** Inserts pull requests, however they are made. */
export class PullOpener {
  /** in the transaction that opens a pull request */
  readonly opened = new Signal<[tx: Tx, issueId: number]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Inserts a pull request in the transaction that makes its ref.
   *
   * @throws ForgeError as `IssueAccess.lock` and `Issues.insert`; `not_found` if the viewer may not read the code;
   *   `conflict` if there is an open one between the same branches
   */
  async insert(tx: Tx, { viewer, flow, ends, sha, fields }: Opening): Promise<Opened> {
    const { issues } = this.#use;
    const permitted = await issues.access.lock(tx, viewer, ends.repositoryId, PULL.create);
    requireReadable(permitted);
    const recording = { tx, viewer, at: currentTimeMs() };
    const issue = { ...fields, ref: '', isClosed: false };
    const state = await issues.insert(recording, permitted, issue, { isPull: true });
    const allowsMaintainerEdit = await this.#allowsEdits(tx, viewer, permitted, ends);
    await this.#insertRow(recording, state, { flow, ends, sha, allowsMaintainerEdit });
    return { state, head: { ref: pullHeadRef(state.number), commit: sha } };
  }

  /** Whether people who maintain the base may write the head: a default of the base, if the viewer may grant it. */
  async #allowsEdits(
    tx: Tx,
    viewer: SignedIn,
    { repository }: PermittedRepository,
    { headRepositoryId }: Ends,
  ): Promise<boolean> {
    const isDefault = repository.units.pulls?.allowsMaintainerEdit === true;
    if (!isDefault || headRepositoryId === repository.id) return false;
    const head = await this.#use.repositories.find(tx, viewer, headRepositoryId);
    return head !== undefined && reaches(head.units.code, 'write');
  }

  async #insertRow(
    { tx, viewer }: Recording,
    { id, number, repositoryId }: IssueState,
    {
      flow,
      ends,
      sha,
      allowsMaintainerEdit,
    }: Pick<Opening, 'flow' | 'ends' | 'sha'> & { readonly allowsMaintainerEdit: boolean },
  ): Promise<void> {
    const { baseBranch, headRepositoryId, headBranch } = ends;
    const hasBranch = flow === 'branch';
    const head = { repositoryId: headRepositoryId, branch: headBranch, hasBranch, sha };
    const row = { issueId: id, repositoryId, number, flow, baseBranch, head };
    const isNew = await insertPull(tx, {
      ...row,
      allowsMaintainerEdit,
      editsAllowedBy: allowsMaintainerEdit ? viewer.accountId : null,
    });
    if (!isNew) throw alreadyOpen(undefined);
    // The branch may have moved since its tip was read.
    if (hasBranch) await this.#use.headFollower.enqueue(tx, id, viewer.accountId);
    await this.#use.checkJobs.enqueue(tx, id);
    const payload = { issueId: id, number, base: baseBranch, head: headBranch, headRepositoryId, sha };
    await this.opened.notify(tx, id);
    await insertEvent(tx, PULL_OPENED, { actorId: viewer.accountId, repositoryId, payload });
  }
}

/** @throws ForgeError `not_found` if the viewer may not read the code */
export function requireReadable({ units }: PermittedRepository): void {
  if (!reaches(units.code, 'read')) throw notFound('branch');
}

export function alreadyOpen(other: PullState | undefined): ForgeError {
  const which = other === undefined ? '' : ` [id: ${other.issueId}, number: ${other.number}]`;
  return conflict(`these branches have an open pull request already${which}`);
}
