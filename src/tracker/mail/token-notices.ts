import { html } from '../../base/core/text/html.ts';
import { withVisibleCharacters } from '../../base/core/text/text.ts';
import type { JobRun } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import { type Mail, MailError } from '../../base/mail/model.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { TOKEN_LIMITS } from '../../people/tokens/limits.ts';
import type { EndingToken } from '../../people/tokens/model.ts';
import type { Tokens } from '../../people/tokens/service.ts';
import { mailDocument, SERVER_NAME } from './compose.ts';
import { MAIL_LIMITS } from './limits.ts';
import { MailIds } from './mail-ids.ts';

const WHY = 'You get this mail because the token is yours. Replies are not read.';

interface Dependencies {
  readonly jobs: Jobs;
  readonly mailer: Mailer;
  readonly tokens: Tokens;
  readonly addresses: Addresses;
  /** of this server */
  readonly secret: Uint8Array;
}

/**
 * Mails the owners of tokens some days before these expire, also those who get no notifications by mail. A notice is
 * recorded after the mail server has accepted the mail. So after a crash a mail may arrive twice, with the same id.
 */
export class TokenNotices {
  readonly #use: Dependencies;
  readonly #ids: MailIds;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#ids = new MailIds(dependencies.secret);
    const { jobs, mailer } = dependencies;
    if (!mailer.isOn) return;
    jobs.schedule('mail.token-notices', MAIL_LIMITS.tokenNoticesEveryMs, (_, run) => this.#sendAll(run));
  }

  async #sendAll(run: JobRun): Promise<void> {
    try {
      for (const days of TOKEN_LIMITS.tokenNoticeDays) await this.#sendFor(days, run);
    } finally {
      this.#use.mailer.close();
    }
  }

  async #sendFor(days: number, run: JobRun): Promise<void> {
    for (let after: EndingToken | undefined; ; ) {
      const tokens = await this.#use.tokens.listEnding(days, after);
      for (const token of tokens) {
        run.signal.throwIfAborted();
        await this.#send(token, run);
      }
      if (tokens.length < TOKEN_LIMITS.endingTokensReadMax) return;
      after = tokens.at(-1);
    }
  }

  /** @throws MailError `unreachable`: the next run tries again */
  async #send(token: EndingToken, run: JobRun): Promise<void> {
    try {
      await this.#use.mailer.send(this.#mailOf(token));
    } catch (error) {
      if (!(error instanceof MailError) || error.problem === 'unreachable') throw error;
      run.log.warn({ err: error, account: token.account.id }, 'a mail was not accepted');
      // The next run tries again, unless no other attempt would succeed.
      if (error.problem === 'later') return;
    }
    await this.#use.tokens.recordNotice(token);
  }

  #mailOf({ id, name, expiresAt, days, account }: EndingToken): Mail {
    const title = withVisibleCharacters(name).slice(0, MAIL_LIMITS.mailTitleCharsMax);
    const url = `${this.#use.addresses.apiRoot}/users/${account.name}/tokens`;
    const what = `Your token “${title}” expires at ${wireTime(expiresAt)}.`;
    const then =
      'From then on, programs that use it get an error. Give them a new token before. Your tokens:';
    return {
      to: account.email,
      fromName: SERVER_NAME,
      subject: `Your token “${title}” expires ${days === 1 ? 'within a day' : `within ${days} days`}`,
      text: [what, then, url, ['-- ', WHY].join('\n')].join('\n\n'),
      html: mailDocument(
        html`<p><b>${what}</b></p>
<p>${then} <a href="${url}">${url}</a></p>`,
        html`${WHY}`,
      ),
      messageId: this.#ids.of(`token ${id} ${days}`),
      conversation: null,
      list: null,
      unsubscribeUrl: null,
    };
  }
}
