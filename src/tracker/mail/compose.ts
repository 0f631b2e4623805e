import type { SignedIn } from '../../api/access/viewer.ts';
import { isFailure } from '../../base/core/failure.ts';
import { asWritten, type Html, html } from '../../base/core/text/html.ts';
import { withVisibleCharacters } from '../../base/core/text/text.ts';
import type { Mail } from '../../base/mail/model.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import type { Markdown } from '../markdown/service.ts';
import { MAIL_LIMITS } from './limits.ts';
import { MailIds } from './mail-ids.ts';
import type { News, Reader } from './model.ts';
import type { UnsubscribeAddresses } from './unsubscribe.ts';

/** Name of the sender of what no user has done, or a hidden one. */
export const SERVER_NAME = 'Quire';

interface Dependencies {
  readonly markdown: Pick<Markdown, 'render'>;
  readonly addresses: Addresses;
  readonly unsubscribe: UnsubscribeAddresses;
  /** of this server */
  readonly secret: Uint8Array;
}

/** Writes mails as plain text and as HTML. */
export class MailComposer {
  readonly #use: Dependencies;
  readonly #ids: MailIds;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#ids = new MailIds(dependencies.secret);
  }

  /** Writes the mail about one event. All mails about an issue are one conversation. */
  async single(viewer: SignedIn, reader: Reader, news: News): Promise<Mail> {
    const { addresses, unsubscribe } = this.#use;
    const { repository, subject, issueId, event, url } = news;
    const { owner, name } = repository;
    const unsubscribeUrl = unsubscribe.of({ accountId: reader.id, issueId });
    const links = { unsubscribeUrl, allUrl: unsubscribe.of({ accountId: reader.id, issueId: null }) };
    const line = `${news.actor ?? SERVER_NAME} ${news.what}`;
    const { text, isCut } = shortened(news.text);
    const rendered = await this.#rendered(viewer, news, text);
    const more = isCut ? 'The text goes on at this address.' : '';
    const conversation = this.#ids.of(`issue ${issueId}`);
    const isFirst = event.kind === 'issue.created';
    return {
      to: reader.address,
      fromName: news.actor ?? SERVER_NAME,
      subject: `${isFirst ? '' : 'Re: '}[${owner.name}/${name}] ${titleOf(news)} (#${subject.number})`,
      text: [`${line}:`.replace(/:$/, text === '' ? '.' : ':'), text, more, url, endOf(links)]
        .filter((part) => part !== '')
        .join('\n\n'),
      html: documentOf(
        html`<p><b>${line}</b></p>
${rendered}
<p>${more} <a href="${url}">${url}</a></p>`,
        links,
      ),
      messageId: isFirst ? conversation : this.#ids.of(`event ${event.position}`),
      conversation,
      list: listOf(repository, addresses),
      unsubscribeUrl,
    };
  }

  /**
   * Writes one mail that lists what has happened, without the texts. If all of it is about one issue, the mail belongs to
   * the conversation about the issue; if all of it is in one repository, the mail names its list.
   *
   * @param options.hasMore whether more has happened than the mail lists
   */
  digest(reader: Reader, news: readonly News[], { hasMore }: { hasMore: boolean }): Mail {
    const { addresses, unsubscribe } = this.#use;
    const allUrl = unsubscribe.of({ accountId: reader.id, issueId: null });
    const issueId = onlyOne(news.map((each) => each.issueId));
    const links =
      issueId === undefined
        ? { allUrl }
        : { allUrl, unsubscribeUrl: unsubscribe.of({ accountId: reader.id, issueId }) };
    const repository =
      onlyOne(news.map((each) => each.repository.id)) === undefined ? undefined : news[0]?.repository;
    const subjects = [...Map.groupBy(news, ({ issueId }) => issueId).values()].flatMap((of) => {
      const [first] = of;
      return first === undefined ? [] : [{ first, of }];
    });
    const more = hasMore ? 'More has happened. Your notifications list all of it.' : '';
    const positions = news.map(({ event }) => event.position);
    return {
      to: reader.address,
      fromName: SERVER_NAME,
      subject: `${hasMore ? 'More than ' : ''}${news.length} notifications about ${subjects.length === 1 ? headingOf(news[0]) : `${subjects.length} issues and pull requests`}`,
      text: [
        ...subjects.map(({ first, of }) =>
          [
            headingOf(first),
            ...of.map((each) => `- ${each.actor ?? SERVER_NAME} ${each.what}: ${each.url}`),
          ].join('\n'),
        ),
        more,
        endOf(links),
      ]
        .filter((part) => part !== '')
        .join('\n\n'),
      html: documentOf(
        html`${subjects.map(
          ({ first, of }) => html`<p><b>${headingOf(first)}</b></p>
<ul>${of.map(
            (each) => html`<li>${each.actor ?? SERVER_NAME} <a href="${each.url}">${each.what}</a></li>
`,
          )}</ul>
`,
        )}<p>${more}</p>`,
        links,
      ),
      messageId: this.#ids.of(`digest ${reader.id} ${positions.join(' ')}`),
      conversation: issueId === undefined ? null : this.#ids.of(`issue ${issueId}`),
      list: repository === undefined ? null : listOf(repository, addresses),
      unsubscribeUrl: links.unsubscribeUrl ?? allUrl,
    };
  }

  /** Renders a text as the reader sees it on a page. A text that takes too long stays as it is written. */
  async #rendered(viewer: SignedIn, { repository }: News, text: string): Promise<Html> {
    const context = repositoryAddresses(repository, this.#use.addresses).htmlUrl;
    try {
      return { html: await this.#use.markdown.render(viewer, { text, mode: 'comment', context }) };
    } catch (error) {
      if (!isFailure(error, 'invalid', 'busy')) throw error;
      return html`<pre style="white-space: pre-wrap">${asWritten(text)}</pre>`;
    }
  }
}

/** Returns the value that all have; undefined if they differ, or if there is none. */
function onlyOne(values: readonly number[]): number | undefined {
  const different = new Set(values);
  return different.size === 1 ? values[0] : undefined;
}

interface Links {
  /** absent: the mail is about several issues */
  readonly unsubscribeUrl?: string;
  readonly allUrl: string;
}

const WHY = 'You get this mail because you have asked for your notifications by mail. Replies are not read.';

function endOf({ unsubscribeUrl, allUrl }: Links): string {
  const one = unsubscribeUrl === undefined ? [] : [`No more about this: ${unsubscribeUrl}`];
  return ['-- ', WHY, ...one, `No more mail: ${allUrl}`].join('\n');
}

function documentOf(body: Html, { unsubscribeUrl, allUrl }: Links): string {
  const one =
    unsubscribeUrl === undefined ? html`` : html`<a href="${unsubscribeUrl}">No more about this</a> · `;
  return mailDocument(body, html`${WHY} ${one}<a href="${allUrl}">No more mail</a>`);
}

/** Writes the HTML of a mail. @param end small text below the line */
export function mailDocument(body: Html, end: Html): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"></head>
<body style="font-family: sans-serif; line-height: 1.5">
${body}
<hr>
<p style="font-size: small">${end}</p>
</body>
</html>
`.html;
}

function headingOf(news: News | undefined): string {
  if (news === undefined) return '';
  const { repository, subject } = news;
  return `${repository.owner.name}/${repository.name}#${subject.number} ${titleOf(news)}`;
}

function titleOf({ subject }: News): string {
  return withVisibleCharacters(subject.title).slice(0, MAIL_LIMITS.mailTitleCharsMax);
}

function shortened(text: string): { text: string; isCut: boolean } {
  const isCut = text.length > MAIL_LIMITS.mailTextCharsMax;
  return { text: isCut ? `${text.slice(0, MAIL_LIMITS.mailTextCharsMax)} …` : text, isCut };
}

function listOf({ owner, name }: News['repository'], { baseUrl }: Addresses): Mail['list'] {
  const { hostname } = new URL(baseUrl);
  return { id: `${name}.${owner.name}.${hostname}`, name: `${owner.name}/${name}` };
}
