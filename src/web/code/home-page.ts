import { reaches } from '../../api/access/levels.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { AddressedLocation } from '../../code/contents/model.ts';
import type { LanguageBytes } from '../../hosting/languages/model.ts';
import type { Languages } from '../../hosting/languages/service.ts';
import type { PermittedRepository, Repository } from '../../hosting/repositories/model.ts';
import type { Page } from '../../http/pages/page.ts';
import { avatarAddress } from '../../people/accounts/present.ts';
import { repositoryPath } from '../addresses.ts';
import { feedLinks } from '../feeds/feed-document.ts';
import { icon } from '../parts/icons.ts';
import { counted, sizeText } from '../parts/numbers.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { socialHead } from '../parts/social.ts';
import { topicLabel } from '../parts/topics.ts';
import { editPath } from './editing/parts.ts';
import { type FilePageTools, folderActions, folderPart } from './file-page.ts';
import { cloneAddresses, cloneMenu, refPicker } from './place-parts.ts';
import { mayChangeCode } from './rights.ts';

interface Tools extends FilePageTools {
  readonly languages: Pick<Languages, 'ofRepository'>;
}

/**
 * The page of a repository: its files, its README, and what it is about.
 *
 * @param acts buttons beside its name
 */
export async function homePage(
  viewer: Viewer,
  permitted: PermittedRepository,
  tools: Tools,
  acts?: Html,
): Promise<Page> {
  const { repository, units } = permitted;
  const title = `${repository.owner.name}/${repository.name}`;
  const mayRead = reaches(units.code, 'read');
  const location = mayRead ? await tools.reading.openDefaultBranch(permitted) : undefined;
  const languages = mayRead ? await tools.languages.ofRepository(permitted) : new Map();
  const main =
    location === undefined ? startPart(permitted, tools) : await filesPart(viewer, location, tools);
  return {
    title: repository.description === '' ? title : `${title}: ${repository.description}`,
    head: html`${feedLinks(`Feed of ${title}`, repositoryPath(repository))}${socialHead(
      {
        path: repositoryPath(repository),
        title,
        description: repository.description,
        image: avatarAddress(repository.owner, tools.addresses),
      },
      tools.addresses,
    )}`,
    body: html`${repositoryHeader(permitted, 'code', acts)}
<h1 class="sr-only">${title}</h1>
<div class="columns"><div class="stack">
${main}</div>
${aboutPart(permitted, location, languages)}</div>`,
  };
}

async function filesPart(viewer: Viewer, location: AddressedLocation, tools: Tools): Promise<Html> {
  const { tree } = await location.snapshot.objects.readCommit(location.commit);
  const entries = await location.snapshot.objects.readTree(tree);
  return html`<div class="row">${refPicker(location)}<span class="end row">${folderActions(location)}${cloneMenu(location, tools.addresses)}</span></div>
${await folderPart(viewer, location, entries, tools)}`;
}

/** What a repository shows that has no commit, or whose code the viewer may not read. */
function startPart(permitted: PermittedRepository, { addresses }: Tools): Html {
  const { repository, units } = permitted;
  if (!reaches(units.code, 'read'))
    return html`<div class="empty"><strong>You may not read the code of this repository</strong>The tabs above show what you may see.</div>`;
  const { baseUrl } = addresses;
  const url = `${baseUrl}${repositoryPath(repository)}.git`;
  const push = html`<p>To begin with a new folder:</p>
<pre>echo "# ${repository.name}" &gt; README.md
git init -b ${repository.defaultBranch}
git add README.md
git commit -m "Begin"
git remote add origin ${url}
git push -u origin ${repository.defaultBranch}</pre>
<p>To push a repository that you have:</p>
<pre>git remote add origin ${url}
git push -u origin ${repository.defaultBranch}</pre>`;
  return html`<div class="box"><div class="title"><h2>This repository is empty</h2></div>
<div class="content stack">${firstFile(permitted)}${cloneAddresses(repository, addresses)}
${reaches(units.code, 'write') ? push : html`<p>Nothing has been pushed yet.</p>`}</div></div>`;
}

/** Leads to the forms with which a writer begins in the browser. */
function firstFile(permitted: PermittedRepository): Html {
  if (!mayChangeCode(permitted)) return html``;
  const { repository } = permitted;
  const at = { branch: repository.defaultBranch, path: '' };
  return html`<div class="row"><a class="button primary" href="${editPath('_new', repository, at)}">${icon('plus')}Create a file</a><a class="button" href="${editPath('_upload', repository, at)}">${icon('upload')}Upload files</a></div>
`;
}

function aboutPart(
  { repository }: PermittedRepository,
  location: AddressedLocation | undefined,
  languages: LanguageBytes,
): Html {
  const { description, website } = repository;
  const site = /^https?:\/\//i.test(website)
    ? html`<p class="row">${icon('link')}<a href="${website}" rel="nofollow noopener noreferrer">${website}</a></p>`
    : html``;
  return html`<aside class="stack" aria-label="About">
<h2>About</h2>
<p>${description === '' ? html`<span class="quiet">No description</span>` : description}</p>
${site}${topicsPart(repository)}${numbersPart(repository, location)}
${languagesPart(languages)}
</aside>`;
}

function topicsPart({ topics }: Repository): Html {
  if (topics.length === 0) return html``;
  return html`<p class="row">${topics.map(topicLabel)}</p>
`;
}

function numbersPart(repository: Repository, location: AddressedLocation | undefined): Html {
  const path = repositoryPath(repository);
  const refs =
    location === undefined
      ? html``
      : html`<li>${icon('history')} <a href="${path}/commits/branch/${encodeURIComponent(location.ref.name)}">Commits</a></li>
<li>${icon('branch')} <a href="${path}/branches">${counted(location.snapshot.countRefs('refs/heads/'), 'branch', 'branches')}</a></li>
<li>${icon('search')} <a href="${path}/search">Search the code</a></li>
<li>${icon('tag')} <a href="${path}/tags">${counted(location.snapshot.countRefs('refs/tags/'), 'tag')}</a></li>
`;
  return html`<ul class="facts">
${refs}<li>${icon('star')} ${counted(repository.starsCount, 'star')}</li>
<li>${icon('repository')} ${counted(repository.forksCount, 'fork')}</li>
<li>${icon('archive')} ${sizeText(repository.sizeBytes)}</li>
</ul>`;
}

const COLORS = ['#3d7ea6', '#d08c2f', '#5c9a4b', '#a85f9c', '#b5523f', '#5b6fb5', '#8a8b3a', '#7d7d7d'];
const SHOWN_MAX = COLORS.length - 1;
const BAR_UNITS = 1000;

/** A bar of the languages by their share. */
function languagesPart(languages: LanguageBytes): Html {
  const total = [...languages.values()].reduce((sum, bytes) => sum + bytes, 0);
  if (total === 0) return html``;
  const first = [...languages].slice(0, SHOWN_MAX);
  const rest = total - first.reduce((sum, [, bytes]) => sum + bytes, 0);
  const shares = rest > 0 ? [...first, ['Other', rest] as const] : first;
  let at = 0;
  const pieces = shares.map(([, bytes], index) => {
    const width = (bytes / total) * BAR_UNITS;
    const piece = html`<rect x="${at.toFixed(1)}" width="${width.toFixed(1)}" height="8" fill="${colorAt(index)}"/>`;
    at += width;
    return piece;
  });
  const names = shares.map(
    ([name, bytes], index) =>
      html`<li><svg class="dot" viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="${colorAt(index)}"/></svg> ${name} <span class="quiet number">${((bytes / total) * 100).toFixed(1)}%</span></li>
`,
  );
  return html`<h2>Languages</h2>
<svg class="languages" viewBox="0 0 ${BAR_UNITS} 8" preserveAspectRatio="none" aria-hidden="true">${pieces}</svg>
<ul class="facts">
${names}</ul>`;
}

function colorAt(index: number): string {
  return COLORS[index % COLORS.length] ?? '';
}
