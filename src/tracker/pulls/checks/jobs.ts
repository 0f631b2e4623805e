import { undefinedIf } from '../../../base/core/failure.ts';
import { Signal } from '../../../base/core/signal.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob, type JobRun } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { Checked } from '../store/checks.ts';
import { listUncheckedOrContained } from '../store/moves.ts';
import type { PullChecks } from './service.ts';

const CHECK = defineJob<{ readonly issueId: number }>('pulls.check');
const CHECK_BASE = defineJob<{ readonly repositoryId: RepositoryId; readonly branch: string }>(
  'pulls.check-base',
);

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly jobs: Jobs;
  readonly checks: PullChecks;
}

/** Checks pull requests after their branches have moved. */
export class CheckJobs {
  /** after a push to the base of a pull request that may have merged it */
  readonly contained = new Signal<[issueId: number]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs } = dependencies;
    jobs.register(
      CHECK,
      async ({ issueId }) => {
        await this.#check(issueId);
      },
      { atOnceMax: 2 },
    );
    // Few at a time, so that a push to a base with many pull requests leaves room for other work. Bases take turns.
    jobs.register(CHECK_BASE, (base, run) => this.#checkAll(base, run), {
      atOnceMax: 2,
      patienceMs: PULL_LIMITS.checksOfBaseMs,
    });
  }

  enqueue(tx: Tx, issueId: number): Promise<void> {
    return this.enqueueAll(tx, [issueId]);
  }

  enqueueAll(tx: Tx, issueIds: readonly number[]): Promise<void> {
    const jobs = issueIds.map((issueId) => ({ key: `${issueId}`, payload: { issueId } }));
    return this.#use.jobs.enqueueAll(tx, CHECK, jobs);
  }

  /** Requests checks of all pull requests with this base. */
  enqueueBase(tx: Tx, repositoryId: RepositoryId, branch: string): Promise<void> {
    const payload = { repositoryId, branch };
    return this.#use.jobs.enqueue(tx, CHECK_BASE, { key: `${repositoryId}:${branch}`, payload });
  }

  async #checkAll(
    { repositoryId, branch }: { readonly repositoryId: RepositoryId; readonly branch: string },
    { signal, giveWay }: Pick<JobRun, 'signal' | 'giveWay'>,
  ): Promise<void> {
    const { database, git } = this.#use;
    const snapshot = await git.refs.open(repositoryId).catch(undefinedIf('not_found'));
    const tip = snapshot?.ref(branchRef(branch));
    if (tip === undefined) return;
    const countMax = PULL_LIMITS.pullsCheckedAtOnce;
    for (let after = 0; ; ) {
      const base = { repositoryId, branch, tip };
      const ids = await listUncheckedOrContained(database.reader, base, { after, countMax });
      for (const id of ids) {
        signal.throwIfAborted();
        if ((await this.#check(id)) === 'contained')
          await this.contained.notify(id).catch(undefinedIf('not_found'));
        if (!giveWay.aborted) continue;
        await database.transaction((tx) => this.enqueueBase(tx, repositoryId, branch));
        return;
      }
      const last = ids.at(-1);
      if (last === undefined || ids.length < countMax) return;
      after = last;
    }
  }

  #check(issueId: number): Promise<Checked['outcome'] | undefined> {
    return this.#use.checks.check(issueId).catch(undefinedIf('not_found'));
  }
}
