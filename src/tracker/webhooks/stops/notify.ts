import { reaches } from '../../../api/access/levels.ts';
import { BY_PASSWORD, viewerOf } from '../../../api/access/viewer.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob, type JobRun } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import type { Mailer } from '../../../base/mail/mailer.ts';
import { MailError } from '../../../base/mail/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { maySignIn } from '../../../people/accounts/model.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import { WEBHOOK_LIMITS } from '../limits.ts';
import {
  deleteStopNotices,
  insertStopNotices,
  listStopNotices,
  type StopNotice,
} from '../store/stop-notices.ts';
import { composeStops, type StoppedHook } from './compose.ts';

const MAIL_STOPS = defineJob<{ readonly accountId: number }>('webhooks.mail-stops');

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly mailer: Mailer;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
}

/**
 * Mails the people who can mend a webhook that the server has stopped it. What stops within an hour is one mail to each
 * person. After a crash a mail may arrive twice, with the same id.
 */
export class StopNotices {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs, mailer } = dependencies;
    if (!mailer.isOn) return;
    jobs.register(MAIL_STOPS, ({ accountId }, run) => this.#mail(accountId, run), {
      atOnceMax: 1,
      hasOwnSlots: true,
    });
  }

  /** Records whom to mail about a webhook, in the transaction that stops it. */
  async take(tx: Tx, hook: { readonly id: number; readonly at: number }): Promise<void> {
    if (!this.#use.mailer.isOn) return;
    await this.#enqueue(tx, await insertStopNotices(tx, hook));
  }

  /** @throws MailError unless the mail server refuses the mail for good: the job tries again later */
  async #mail(accountId: number, { log }: JobRun): Promise<void> {
    const { database, mailer } = this.#use;
    const notices = await listStopNotices(database.reader, accountId);
    const [first] = notices;
    if (first === undefined) return;
    const hooks = await this.#mendable(accountId, notices);
    try {
      if (hooks.length > 0) await mailer.during(() => mailer.send(composeStops(first.address, hooks)));
    } catch (error) {
      if (!(error instanceof MailError) || error.problem !== 'refused') throw error;
      log.warn({ err: error, account: accountId }, 'a mail was not accepted');
    }
    await database.transaction(async (tx) => {
      await deleteStopNotices(tx, accountId, notices);
      if (notices.length === WEBHOOK_LIMITS.stopsListedMax) await this.#enqueue(tx, [accountId]);
    });
  }

  #enqueue(tx: Tx, accountIds: readonly number[]): Promise<void> {
    const delayMs = WEBHOOK_LIMITS.stopsGatheredMs;
    const jobs = accountIds.map((accountId) => ({ key: `${accountId}`, payload: { accountId }, delayMs }));
    return this.#use.jobs.enqueueAll(tx, MAIL_STOPS, jobs);
  }

  /** Returns the webhooks that are still stopped and that the person may still change, with the names of what they belong to. */
  async #mendable(accountId: number, notices: readonly StopNotice[]): Promise<readonly StoppedHook[]> {
    const { database, accounts, repositories } = this.#use;
    const account = await accounts.findSignInById(accountId);
    if (account === undefined || !maySignIn(account)) return [];
    const viewer = viewerOf(account, BY_PASSWORD);
    const ids = notices.flatMap(({ repositoryId }) => repositoryId ?? []);
    const found = await repositories.lists.byIds(database.reader, viewer, [...new Set(ids)]);
    const administered = new Map(
      found
        .filter(({ level }) => reaches(level, 'admin'))
        .map(({ repository: { id, owner, name } }) => [id as number, `${owner.name}/${name}`]),
    );
    return notices.flatMap((notice) => {
      if (!notice.isStopped) return [];
      if (notice.repositoryId === null)
        return notice.isOwners ? [{ ...notice, place: notice.ownerName ?? 'this site' }] : [];
      const place = administered.get(notice.repositoryId);
      return place === undefined ? [] : [{ ...notice, place }];
    });
  }
}
