import { BY_PASSWORD, viewerOf } from '../../api/access/viewer.ts';
import { eachAtOnce } from '../../base/core/fairness/each-at-once.ts';
import { SYSTEM_CLOCK } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { defineJob, type JobRun } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import { type Mail, MailError } from '../../base/mail/model.ts';
import type { Addresses } from '../../http/app.ts';
import type { Notified } from '../notifications/delivery.ts';
import type { Notifications } from '../notifications/service.ts';
import type { MailComposer } from './compose.ts';
import { MAIL_LIMITS } from './limits.ts';
import type { MailNotice, Reader } from './model.ts';
import { newsOf } from './news.ts';
import {
  deleteNotices,
  deleteNoticesUpTo,
  findLastPosition,
  insertNotices,
  listNotices,
  listReaders,
  putOff,
  recordSent,
} from './store.ts';

const SEND = defineJob<Record<never, never>>('mail.send');
/** There is one list of what is to be sent, so one run is enough. */
const SEND_KEY = 'all';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly notifications: Notifications;
  readonly mailer: Mailer;
  readonly composer: MailComposer;
  readonly addresses: Addresses;
}

/**
 * Mails what has happened to the users who want it. A notice is recorded in the transaction of the notification, and
 * forgotten after the mail server has accepted the mail. So after a crash a mail may arrive twice, with the same id.
 */
export class MailSending {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs, mailer } = dependencies;
    if (!mailer.isOn) return;
    const send = (_: unknown, run: JobRun) => this.#send(run);
    jobs.register(SEND, send, { atOnceMax: 1, hasOwnSlots: true });
    jobs.schedule('mail.send-put-off', MAIL_LIMITS.mailPutOffEveryMs, async () => {
      await this.#use.database.transaction((tx) => this.#enqueue(tx, 0));
    });
  }

  /** Records what is to be mailed. */
  async take(tx: Tx, notified: Notified): Promise<void> {
    if (!this.#use.mailer.isOn) return;
    if (await insertNotices(tx, notified)) await this.#enqueue(tx, MAIL_LIMITS.mailGatheredMs);
  }

  #enqueue(tx: Tx, delayMs: number): Promise<void> {
    return this.#use.jobs.enqueue(tx, SEND, { payload: {}, key: SEND_KEY, delayMs });
  }

  /** @throws MailError `unreachable`: the job tries again later */
  async #send(run: JobRun): Promise<void> {
    await this.#use.mailer.during(() => this.#sendAll(run));
  }

  async #sendAll(run: JobRun): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const now = SYSTEM_CLOCK.now();
      const readers = await listReaders(this.#use.database.reader, { now, after });
      await eachAtOnce(readers, MAIL_LIMITS.mailedAtOnceMax, async (reader) => {
        run.signal.throwIfAborted();
        await this.#sendTo(reader, run);
      });
      after = readers.length < MAIL_LIMITS.mailedReadMax ? undefined : readers.at(-1)?.id;
    }
  }

  async #sendTo(reader: Reader, run: JobRun): Promise<void> {
    const { database } = this.#use;
    const now = SYSTEM_CLOCK.now();
    const notices = await listNotices(database.reader, reader.id);
    const isOld = ({ at }: MailNotice) => now - at > MAIL_LIMITS.mailTriedMs;
    const old = notices.filter(isOld);
    if (old.length > 0) run.log.warn({ account: reader.id, notices: old.length }, 'mail was given up');
    await this.#forget(old);
    try {
      await this.#sendNews(
        reader,
        notices.filter((notice) => !isOld(notice)),
      );
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      run.log.warn({ err: error, account: reader.id }, 'a mail was not accepted');
      // The server may have ended the connection because of this mail, so the next attempt begins with other readers.
      const isOwn = error.problem !== 'unreachable';
      const { mailRetryMsMin, mailRetryMsMax } = MAIL_LIMITS;
      const pauseMs = isOwn
        ? Math.min(mailRetryMsMin * 2 ** reader.failures, mailRetryMsMax)
        : mailRetryMsMin;
      const failures = reader.failures + (isOwn ? 1 : 0);
      await database.transaction((tx) => putOff(tx, reader, { failures, nextAt: now + pauseMs }));
      if (!isOwn) throw error;
    }
  }

  async #sendNews(reader: Reader, notices: readonly MailNotice[]): Promise<void> {
    if (notices.length === 0) return;
    const { database, notifications, addresses, composer } = this.#use;
    const viewer = viewerOf(reader, BY_PASSWORD);
    const news = await newsOf({ db: database.reader, notifications, addresses }, viewer, notices);
    const told = new Set(news.map(({ noticeId }) => noticeId));
    await this.#forget(notices.filter(({ id }) => !told.has(id)));
    if (news.length === 0) return;
    if (reader.sentInHour >= MAIL_LIMITS.mailsPerHourMax) {
      const { failures, hourEndsAt: nextAt } = reader;
      await database.transaction((tx) => putOff(tx, reader, { failures, nextAt }));
      return;
    }
    const isMuch =
      news.length > MAIL_LIMITS.mailsAtOnceMax ||
      reader.sentInHour + news.length > MAIL_LIMITS.mailsPerHourMax;
    if (isMuch) {
      const last = await findLastPosition(database.reader, reader.id);
      const hasMore = last > (notices.at(-1)?.position ?? 0);
      await this.#deliver(reader, composer.digest(reader, news, { hasMore }), (tx) =>
        deleteNoticesUpTo(tx, reader.id, last),
      );
      return;
    }
    for (const each of news) {
      const mail = await composer.single(viewer, reader, each);
      await this.#deliver(reader, mail, (tx) => deleteNotices(tx, [each.noticeId]));
    }
  }

  /** @throws MailError `later`, `unreachable` */
  async #deliver(reader: Reader, mail: Mail, forget: (tx: Tx) => Promise<void>): Promise<void> {
    try {
      await this.#use.mailer.send(mail);
    } catch (error) {
      // No other attempt would succeed.
      if (error instanceof MailError && error.problem === 'refused')
        await this.#use.database.transaction(forget);
      throw error;
    }
    await this.#use.database.transaction(async (tx) => {
      await forget(tx);
      await recordSent(tx, reader);
    });
  }

  async #forget(notices: readonly MailNotice[]): Promise<void> {
    if (notices.length === 0) return;
    const ids = notices.map(({ id }) => id);
    await this.#use.database.transaction((tx) => deleteNotices(tx, ids));
  }
}
