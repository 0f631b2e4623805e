import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '../../base/database/database.ts';
import { defineJob, type JobRun } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import { type Mail, MailError } from '../../base/mail/model.ts';
import type { Addresses } from '../../http/app.ts';
import { FORGOT_PASSWORD_PATH } from '../../http/pages/link-paths.ts';
import type { Accounts } from '../accounts/service.ts';
import { accountMail, LINK_TEXTS, NOTICE_TEXTS, takenText } from './compose.ts';
import { LINK_LIMITS } from './limits.ts';
import type { AccountLink, LinkPurpose, Notice } from './model.ts';
import type { AccountLinks } from './service.ts';
import { countLinksBefore, findAddress } from './store.ts';

const SEND_LINK = defineJob<{ linkId: number }>('account.mail-link');
const SEND_NOTICE = defineJob<{ notice: Notice; id: string; to: string; name: string }>(
  'account.mail-notice',
);

const ID_CHARS = 24;
/** Links that people can ask for who do not own the address. */
const ON_REQUEST: ReadonlySet<LinkPurpose> = new Set(['sign-up', 'recover', 'confirm-email']);

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly mailer: Mailer;
  readonly accounts: Accounts;
  readonly accountLinks: AccountLinks;
  readonly addresses: Addresses;
}

/**
 * Mails that accounts need, sent after the commit of what they are about. After a crash a mail may arrive twice, with the
 * same id and the same link.
 */
export class AccountMails {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs, mailer } = dependencies;
    if (!mailer.isOn) return;
    const options = { atOnceMax: LINK_LIMITS.accountMailsAtOnceMax, hasOwnSlots: true } as const;
    jobs.register(SEND_LINK, ({ linkId }, run) => this.#sendLink(linkId, run), options);
    jobs.register(
      SEND_NOTICE,
      (payload, run) => this.#send(() => Promise.resolve(this.#noticeMail(payload)), run),
      options,
    );
  }

  /** Whether this server sends mail. */
  get isOn(): boolean {
    return this.#use.mailer.isOn;
  }

  /** Mails a link to its address, if the server sends mail. */
  async sendLink(tx: Tx, { id }: Pick<AccountLink, 'id'>): Promise<void> {
    if (!this.isOn) return;
    await this.#use.jobs.enqueue(tx, SEND_LINK, { payload: { linkId: id } });
  }

  /** Mails a notice to the owner of an account, if the server sends mail and the account has an address. */
  async sendNotice(tx: Tx, notice: Notice, accountId: number): Promise<void> {
    if (!this.isOn) return;
    const { email, name } = await findAddress(tx, accountId);
    if (email === '') return;
    const payload = { notice, id: randomUUID(), to: email, name };
    await this.#use.jobs.enqueue(tx, SEND_NOTICE, { payload });
  }

  async #sendLink(id: number, run: JobRun): Promise<void> {
    const { database, accountLinks } = this.#use;
    const link = await accountLinks.findById(id);
    if (link === undefined) return;
    const after = link.createdAt - LINK_LIMITS.linksPerAddressMs;
    const isLimited = ON_REQUEST.has(link.purpose);
    if (
      isLimited &&
      (await countLinksBefore(database.reader, link, after)) >= LINK_LIMITS.linksPerAddressMax
    ) {
      run.log.warn({ purpose: link.purpose }, 'too many mails to one address: one was not sent');
      return;
    }
    await this.#send(() => this.#linkMail(link), run);
  }

  /** @throws MailError `later`, `unreachable`: the job tries again later */
  async #send(compose: () => Promise<Mail>, run: JobRun): Promise<void> {
    const { mailer } = this.#use;
    await mailer.during(async () => {
      try {
        await mailer.send(await compose());
      } catch (error) {
        // No other attempt would succeed.
        if (!(error instanceof MailError) || error.problem !== 'refused') throw error;
        run.log.warn({ err: error }, 'a mail was not accepted');
      }
    });
  }

  async #linkMail(link: AccountLink): Promise<Mail> {
    const { accounts, accountLinks } = this.#use;
    const { purpose, email } = link;
    const envelope = { to: email, host: this.#host, messageId: link.digest.slice(0, ID_CHARS) };
    const owner = purpose === 'sign-up' ? await accounts.emails.findOwner(email) : undefined;
    if (owner !== undefined) {
      const subject = { name: owner.name, host: this.#host, url: this.#forgotUrl };
      return accountMail(takenText(subject), envelope);
    }
    const account = link.accountId === null ? undefined : await accounts.get(link.accountId);
    const text = LINK_TEXTS[purpose]({
      name: account?.name ?? link.name ?? '',
      host: this.#host,
      url: accountLinks.addressOf(link),
      ends: endOf(link),
    });
    return accountMail(text, envelope);
  }

  #noticeMail({ notice, id, to, name }: { notice: Notice; id: string; to: string; name: string }): Mail {
    const text = NOTICE_TEXTS[notice]({ name, host: this.#host, url: this.#forgotUrl });
    return accountMail(text, { to, host: this.#host, messageId: id });
  }

  get #host(): string {
    return new URL(this.#use.addresses.baseUrl).host;
  }

  get #forgotUrl(): string {
    return `${this.#use.addresses.baseUrl}${FORGOT_PASSWORD_PATH}`;
  }
}

/** Returns when a link ends, such as `2026-11-29 02:15 UTC`. */
function endOf({ endsAt }: AccountLink): string {
  return `${new Date(endsAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
