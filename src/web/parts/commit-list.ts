import { type Html, html } from '../../base/core/text/html.ts';
import type { KnownCommit } from '../../code/git-data/model.ts';
import { REASONS, type Verification } from '../../code/verification/model.ts';
import type { Signature } from '../../git/format/model.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import { repositoryPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { shortIdHtml, subjectHtml } from './commits.ts';
import { icon } from './icons.ts';
import { avatarHtml, personHtml } from './people.ts';
import { agoHtml } from './time.ts';
import { beginningOf } from './words.ts';

const AVATAR_PX = 20;

/** Returns commits, newest first, below the days on which they were made. */
export function commitListHtml(commits: readonly KnownCommit[], addresses: Addresses): Html {
  const days = Map.groupBy(commits, ({ commit }) => dayOf(commit.committer.seconds));
  return html`${[...days].map(
    ([
      day,
      ofDay,
    ]) => html`<section class="box" aria-label="Commits of ${day}"><div class="title"><h2 class="small">${icon('commit')} Commits of ${day}</h2></div>
<ul class="rows">
${ofDay.map((known) => commitRow(known, addresses))}</ul></section>
`,
  )}`;
}

function dayOf(seconds: number): string {
  return wireTime(seconds * 1000).slice(0, 10);
}

function commitRow({ repository, commit, author, verification }: KnownCommit, addresses: Addresses): Html {
  const browse = `${repositoryPath(repository)}/src/commit/${commit.oid}`;
  return html`<li><div class="grow"><strong class="subject">${subjectHtml(repository, commit)}</strong>${bodyOf(commit.message)}
<div class="quiet small row tight">${madeByHtml(commit.author, author, addresses)}<span>${agoHtml(commit.committer.seconds * 1000)}</span></div></div>
<span class="end row">${signatureBadge(verification)}${shortIdHtml(repository, commit.oid)}<a class="button small" href="${browse}" aria-label="Files at ${commit.oid.slice(0, SHORT_DIGITS)}">${icon('folder')}</a></span></li>
`;
}

const SHORT_DIGITS = 10;

/** The rest of a message folds out. */
function bodyOf(message: string): Html {
  const feed = message.indexOf('\n');
  const body = feed === -1 ? '' : message.slice(feed + 1).trim();
  if (body === '') return html``;
  return html` <details class="message"><summary aria-label="Whole message">…</summary><pre>${beginningOf(body, BODY_CHARS_MAX)}</pre></details>`;
}

const BODY_CHARS_MAX = 2_000;

/** Returns who made a commit: the account, or the name that git has. @param account null if it is not known */
export function madeByHtml(
  { name }: Pick<Signature, 'name'>,
  account: PublicAccount | null,
  addresses: Addresses,
): Html {
  if (account === null)
    return html`<span>${icon('person')} ${beginningOf(name, WEB_LIMITS.personNameCharsMax)}</span>`;
  return html`<span>${avatarHtml(account, AVATAR_PX, addresses)} ${personHtml(account)}</span>`;
}

/** Returns whether a signature is valid; nothing for an object without one. */
export function signatureBadge(verification: Verification | null): Html {
  if (verification === null || verification.signature === null) return html``;
  if (verification.isVerified)
    return html`<span class="badge state open" title="Signed by ${verification.signer?.name ?? ''}">${icon('lock')}Verified</span>`;
  const words = verification.reason === REASONS.badSignature ? 'Bad signature' : 'Signed, not verified';
  return html`<span class="badge" title="${verification.reason}">${icon('lock')}${words}</span>`;
}
