import { SYSTEM } from '../../../api/access/viewer.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { CommitOf } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import { PULL } from '../actions.ts';
import { PULL_LIMITS } from '../limits.ts';
import { findPull } from '../store/pulls.ts';
import type { MergeRecorder } from './recorder.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly recorder: MergeRecorder;
}

/** Merges that pushes have made. */
export class FoundMerges {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Records that a push to the base has merged a pull request, if the repository is set up to notice that. Does nothing if
   * the base lacks commits of the head.
   */
  async record(issueId: number): Promise<void> {
    const { database, repositories, git } = this.#use;
    const pull = await findPull(database.reader, issueId);
    if (pull === undefined || !pull.isOpen) return;
    const permitted = await repositories.find(database.reader, SYSTEM, pull.repositoryId);
    if (permitted?.repository.units.pulls?.detectsManualMerge !== true) return;
    const snapshot = await git.refs.open(pull.repositoryId);
    const tip = snapshot.ref(branchRef(pull.baseBranch));
    if (tip === undefined) return;
    const sha = await this.#mergeIn({ snapshot, oid: tip }, pull.head.sha);
    if (sha === undefined) return;
    const { committer } = await snapshot.objects.readCommit(sha);
    const known = await this.#use.accounts.findByCommitEmails(SYSTEM, [committer.email]);
    const mergerId = known.get(committer.email.toLowerCase())?.id ?? null;
    await database.transaction(async (tx) => {
      await repositories.lock(tx, SYSTEM, pull.repositoryId, PULL.read);
      const now = await findPull(tx, issueId);
      if (now === undefined || !now.isOpen || now.head.sha !== pull.head.sha) return;
      const found = { pull: now, mergerId, sha, mergeBase: null, style: 'manually-merged' } as const;
      await this.#use.recorder.record(tx, found);
    });
  }

  /** Returns the commit that brought a head into a base; undefined if the base does not have it. */
  async #mergeIn(base: CommitOf, head: Oid): Promise<Oid | undefined> {
    const { history } = this.#use.git;
    const { ahead } = await history.countBetween(base, { ...base, oid: head });
    if (ahead > 0) return undefined;
    const limit = PULL_LIMITS.manualMergeCommitsMax;
    const range = { head: base, without: [{ ...base, oid: head }], path: null };
    const newer = await history.listCommits(range, { limit, offset: 0 });
    for (const oid of newer.toReversed()) {
      const { parents } = await base.snapshot.objects.readCommit(oid);
      if (parents.length > 1 && parents.includes(head)) return oid;
    }
    return head;
  }
}
