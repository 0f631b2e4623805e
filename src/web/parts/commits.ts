import { type Html, html } from '../../base/core/text/html.ts';
import type { Commit } from '../../git/format/model.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { repositoryPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { beginningOf } from './words.ts';

const SHORT_ID_DIGITS = 10;

/** Returns the first line of the message of a commit, which leads to the commit. */
export function subjectHtml(repository: Repository, { oid, message }: Pick<Commit, 'oid' | 'message'>): Html {
  return html`<a href="${repositoryPath(repository)}/commit/${oid}">${subjectOf(message)}</a>`;
}

/** Returns the start of the first line of a message: a page may have it many times. */
export function subjectOf(message: string): string {
  const start = message.slice(0, WEB_LIMITS.shownSubjectCharsMax + 1);
  const [subject = ''] = start.split('\n', 1);
  return subject.trim() === '' ? '(no message)' : beginningOf(subject, WEB_LIMITS.shownSubjectCharsMax);
}

/** Returns the abbreviated id of a commit, which leads to the commit. */
export function shortIdHtml(repository: Repository, oid: string): Html {
  return html`<a class="nowrap" href="${repositoryPath(repository)}/commit/${oid}"><code>${oid.slice(0, SHORT_ID_DIGITS)}</code></a>`;
}
