import { type Html, html } from '../../base/core/text/html.ts';
import type { Commit } from '../../git/format/model.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { repositoryPath } from '../addresses.ts';

const SHORT_ID_DIGITS = 10;

/** Returns the first line of the message of a commit, which leads to the commit. */
export function subjectHtml(repository: Repository, { oid, message }: Pick<Commit, 'oid' | 'message'>): Html {
  return html`<a href="${repositoryPath(repository)}/commit/${oid}">${subjectOf(message)}</a>`;
}

/** Returns the first line of a message. */
export function subjectOf(message: string): string {
  const [subject = ''] = message.split('\n', 1);
  return subject.trim() === '' ? '(no message)' : subject;
}

/** Returns the abbreviated id of a commit, which leads to the commit. */
export function shortIdHtml(repository: Repository, oid: string): Html {
  return html`<a class="nowrap" href="${repositoryPath(repository)}/commit/${oid}"><code>${oid.slice(0, SHORT_ID_DIGITS)}</code></a>`;
}
