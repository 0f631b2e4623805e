import type { Viewer } from '../../../api/access/viewer.ts';
import { undefinedIf } from '../../../base/core/failure.ts';
import { asWritten, type Html, html } from '../../../base/core/text/html.ts';
import type { CommitNotes } from '../../../code/commit-notes/service.ts';
import type { DifferenceReader, Differences } from '../../../code/commits/differences.ts';
import type { AddressedLocation } from '../../../code/contents/model.ts';
import type { CommitReader } from '../../../code/git-data/commit-reader.ts';
import type { KnownCommit } from '../../../code/git-data/model.ts';
import type { CombinedStatus, CommitStatus, StatusState } from '../../../code/statuses/model.ts';
import type { Statuses } from '../../../code/statuses/service.ts';
import type { Addresses } from '../../../http/app.ts';
import type { Page } from '../../../http/pages/page.ts';
import { commitFilePath, commitPath, repositoryPath } from '../../addresses.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { madeByHtml, signatureBadge } from '../../parts/commit-list.ts';
import { shortIdHtml, subjectOf } from '../../parts/commits.ts';
import { diffHtml } from '../../parts/diff/diff.ts';
import type { DiffLook } from '../../parts/diff/model.ts';
import { type IconName, icon } from '../../parts/icons.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { agoHtml } from '../../parts/time.ts';

/** What the page of a commit uses. */
export interface CommitPageTools {
  readonly commitReader: CommitReader;
  readonly differences: DifferenceReader;
  readonly statuses: Statuses;
  readonly commitNotes: CommitNotes;
  readonly addresses: Addresses;
}

/** The page of a commit: who made it, its message, what is known about it, and its differences from its first parent. */
export async function commitPage(
  viewer: Viewer,
  location: AddressedLocation,
  { look, ...tools }: CommitPageTools & { readonly look: DiffLook },
): Promise<Page> {
  const { permitted, repository, snapshot, commit: oid } = location;
  const [known] = await tools.commitReader.read(viewer, location, [oid], { hasVerification: true });
  if (known === undefined) throw new Error(`the commit ${oid} was not read`);
  const [parent] = known.commit.parents;
  const ends = {
    from: parent === undefined ? null : { snapshot, oid: parent },
    to: { snapshot, oid },
  };
  const [differences, combined, note] = await Promise.all([
    tools.differences.read(ends, look),
    checksOf(viewer, location, tools.statuses),
    noteOf(viewer, location, tools.commitNotes),
  ]);
  const subject = subjectOf(known.commit.message);
  return {
    title: `${subject} · ${repository.owner.name}/${repository.name}`,
    body: html`${repositoryHeader(permitted, 'code')}
<div class="stack">
${aboutPart(known, tools.addresses)}${checksPart(combined)}${notePart(note)}
${await diffPart(known, differences, look)}</div>`,
  };
}

function checksOf(
  viewer: Viewer,
  { repository, commit }: AddressedLocation,
  statuses: Statuses,
): Promise<CombinedStatus> {
  const path = { owner: repository.owner.name, name: repository.name };
  const paging = { page: 1, limit: WEB_LIMITS.commitChecksMax };
  return statuses.combine(viewer, path, { name: commit, paging });
}

/** @returns undefined without a note, and if it takes too long to find */
async function noteOf(
  viewer: Viewer,
  { repository, commit }: AddressedLocation,
  notes: CommitNotes,
): Promise<string | undefined> {
  const path = { owner: repository.owner.name, name: repository.name };
  const found = await notes.find(viewer, path, commit, NOTHING_MORE).catch(undefinedIf('not_found', 'busy'));
  if (found === undefined) return undefined;
  const read = await notes.read(found, NOTHING_MORE).catch(undefinedIf('not_found', 'busy', 'too_large'));
  return read?.message;
}

const NOTHING_MORE = { hasStats: false, hasFiles: false, hasVerification: false };

function aboutPart(known: KnownCommit, addresses: Addresses): Html {
  const { repository, commit, verification } = known;
  const { message, oid, parents } = commit;
  const feed = message.indexOf('\n');
  const body = feed === -1 ? '' : message.slice(feed + 1).trim();
  const files = `${repositoryPath(repository)}/src/commit/${oid}`;
  const texts = commitPath(repository, oid);
  return html`<section class="box" aria-label="About the commit">
<div class="title"><h1>${subjectOf(message)}</h1><span class="end row"><a class="button small" href="${files}">${icon('folder')}Files</a><a class="button small" href="${texts}.patch" rel="nofollow">Patch</a></span></div>
${body === '' ? html`` : html`<pre class="message">${asWritten(body)}</pre>`}
<div class="content row small">${peopleHtml(known, addresses)}${signatureBadge(verification)}
<span class="end row quiet">${parentsHtml(known)}<span>commit <code>${oid}</code></span></span></div>
${parents.length > 1 ? html`<p class="content quiet small">This commit merges histories. Below are its differences from its first parent.</p>` : html``}</section>
`;
}

function peopleHtml({ commit, author, committer }: KnownCommit, addresses: Addresses): Html {
  const wrote = html`<span>${madeByHtml(commit.author, author, addresses)} ${agoHtml(commit.author.seconds * 1000)}</span>`;
  const isSame =
    commit.author.name === commit.committer.name && commit.author.email === commit.committer.email;
  if (isSame) return wrote;
  return html`${wrote}<span class="quiet">committed by ${madeByHtml(commit.committer, committer, addresses)} ${agoHtml(commit.committer.seconds * 1000)}</span>`;
}

function parentsHtml({ repository, commit: { parents } }: KnownCommit): Html {
  if (parents.length === 0) return html`<span>the first commit</span>`;
  const words = parents.length === 1 ? 'parent' : 'parents';
  return html`<span>${words} ${parents.map((oid) => html`${shortIdHtml(repository, oid)} `)}</span>`;
}

const LOOKS: Readonly<Record<StatusState, readonly [IconName, string]>> = {
  success: ['check', 'open'],
  failure: ['cross', 'closed'],
  error: ['cross', 'closed'],
  warning: ['cross', ''],
  pending: ['clock', ''],
  skipped: ['clock', ''],
};

/** The results of checks that other tools report. */
function checksPart({ state, statuses, total }: CombinedStatus): Html {
  if (state === null) return html``;
  const [name, look] = LOOKS[state];
  const more =
    total > statuses.length ? html`<li class="quiet">and ${total - statuses.length} more</li>` : html``;
  return html`<details class="box"${state === 'success' ? html`` : html` open`}><summary class="title"><span>${icon(name, look)} Checks: ${state}</span><span class="count">${total}</span></summary>
<ul class="rows dense">
${statuses.map(checkRow)}${more}</ul></details>
`;
}

function checkRow({ state, context, description, targetUrl }: CommitStatus): Html {
  const [name, look] = LOOKS[state];
  const words = /^https?:\/\//i.test(targetUrl)
    ? html`<a href="${targetUrl}" rel="nofollow noopener noreferrer">${context}</a>`
    : html`${context}`;
  return html`<li>${icon(name, look)}<span class="sr-only">${state}</span><span class="grow">${words} <span class="quiet">${description}</span></span></li>
`;
}

function notePart(note: string | undefined): Html {
  if (note === undefined) return html``;
  return html`<section class="box" aria-label="Note"><div class="title"><h2>${icon('note')} Note</h2></div><pre>${asWritten(note)}</pre></section>
`;
}

function diffPart(
  { repository, commit }: KnownCommit,
  differences: Differences,
  look: DiffLook,
): Promise<Html> {
  const path = commitPath(repository, commit.oid);
  const [parent = ''] = commit.parents;
  return diffHtml(differences, {
    path,
    look,
    textPath: `${path}.diff`,
    fileAt: (side, file, kind) =>
      commitFilePath(kind, repository, { oid: side === 'old' ? parent : commit.oid, path: file }),
  });
}
