import { ForgeError } from '../../../base/core/failure.ts';
import { Signal } from '../../../base/core/signal.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { PULL_LIMITS } from '../limits.ts';
import { listOpenWithBase } from '../store/moves.ts';
import { findPull } from '../store/pulls.ts';
import type { PullChecks } from './service.ts';

const CHECK = defineJob<{ readonly issueId: number }>('pulls.check');
const CHECK_BASE = defineJob<{ readonly repositoryId: RepositoryId; readonly branch: string }>(
  'pulls.check-base',
);

interface Dependencies {
  readonly database: Database;
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
    jobs.register(CHECK, ({ issueId }) => this.#check(issueId), { atOnceMax: 2 });
    // One at a time, so that a push to a base with many pull requests leaves room for other work.
    jobs.register(CHECK_BASE, (base, { signal }) => this.#checkAll(base, signal), { atOnceMax: 1 });
  }

  enqueue(tx: Tx, issueId: number): Promise<void> {
    return this.#use.jobs.enqueue(tx, CHECK, { key: `${issueId}`, payload: { issueId } });
  }

  /** Requests checks of all pull requests with this base. */
  enqueueBase(tx: Tx, repositoryId: RepositoryId, branch: string): Promise<void> {
    const payload = { repositoryId, branch };
    return this.#use.jobs.enqueue(tx, CHECK_BASE, { key: `${repositoryId}:${branch}`, payload });
  }

  async #checkAll(
    base: { readonly repositoryId: RepositoryId; readonly branch: string },
    signal: AbortSignal,
  ): Promise<void> {
    const countMax = PULL_LIMITS.pullsCheckedAtOnce;
    for (let after = 0; ; ) {
      const ids = await listOpenWithBase(this.#use.database.reader, base, { after, countMax });
      for (const id of ids) {
        signal.throwIfAborted();
        await this.#check(id);
        const pull = await findPull(this.#use.database.reader, id);
        if (pull?.check?.outcome === 'contained') await this.contained.notify(id);
      }
      const last = ids.at(-1);
      if (last === undefined || ids.length < countMax) return;
      after = last;
    }
  }

  async #check(issueId: number): Promise<void> {
    await this.#use.checks.check(issueId).catch(unlessGone);
  }
}

/** The repository or a commit was deleted meanwhile. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ForgeError && error.failure.kind === 'not_found')) throw error;
}
