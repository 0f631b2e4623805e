import type { SignedIn } from '../../api/access/viewer.ts';
import { recordAudit } from '../../base/audit/store.ts';
import { notFound } from '../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import { type CronTask, tasksOf } from './model.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
}

/** Recurring work of the server, for site administrators. */
export class Cron {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  async list(paging: Paging): Promise<Page<CronTask>> {
    const tasks = tasksOf(await this.#use.jobs.listRecurring());
    const offset = offsetOf(paging);
    return { items: tasks.slice(offset, offset + paging.limit), total: tasks.length };
  }

  /**
   * Requests a run, which begins soon. If the work is running, it runs once more afterwards.
   *
   * @throws ForgeError `not_found`
   */
  async run(viewer: SignedIn, name: string): Promise<void> {
    const { database, jobs } = this.#use;
    const task = tasksOf(await jobs.listRecurring()).find((each) => each.name === name);
    if (task === undefined) throw notFound('cron task');
    const kinds = task.work.map(({ kind }) => kind);
    await database.transaction(async (tx) => {
      await jobs.requestRecurring(tx, kinds);
      await recordAudit(tx, {
        action: 'cron-task.requested',
        actorId: viewer.accountId,
        actorKind: 'user',
        target: { kind: 'cron-task', id: null, name },
        ownerId: null,
        repositoryId: null,
        details: {},
      });
    });
  }
}
