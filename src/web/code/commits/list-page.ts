import { type Html, html } from '../../../base/core/text/html.ts';
import type { CommitPage } from '../../../code/commits/model.ts';
import type { AddressedLocation } from '../../../code/contents/model.ts';
import type { Addresses } from '../../../http/app.ts';
import type { Page } from '../../../http/pages/page.ts';
import { comparisonPath, encoded, filePath, refPath, repositoryPath } from '../../addresses.ts';
import { feedLinksAt } from '../../feeds/feed-document.ts';
import { commitListHtml } from '../../parts/commit-list.ts';
import { icon } from '../../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../../parts/lists.ts';
import { counted } from '../../parts/numbers.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { pathCrumbs, refPicker } from '../place-parts.ts';

/** The page of the commits that a ref reaches, or of those that changed a path. */
export function commitListPage(
  location: AddressedLocation,
  { commits, total }: CommitPage,
  {
    page,
    limit,
    addresses,
  }: { readonly page: number; readonly limit: number; readonly addresses: Addresses },
): Page {
  const { permitted, repository, path, ref } = location;
  const where = `${repository.owner.name}/${repository.name}`;
  const title = path === '' ? `Commits of ${ref.name}` : `Commits of ${ref.name} that changed ${path}`;
  const list =
    commits.length === 0
      ? emptyHtml(
          'No commits here',
          html`<a href="${refPath('commits', location, path)}">Go to the newest commits</a>`,
        )
      : commitListHtml(commits, addresses);
  return {
    title: `${title} · ${where}`,
    head: ref.kind === 'branch' ? feedOf(location, title) : html``,
    body: html`${repositoryHeader(permitted, 'code')}
<h1 class="sr-only">${title}</h1>
<div class="stack">
<div class="row">${refPicker(location, (at) => refPath('commits', at, path))}${path === '' ? html`` : pathCrumbs(location)}<span class="quiet number">${counted(total, 'commit')}</span><span class="end row">${linksOf(location)}</span></div>
${list}
${pagerHtml(refPath('commits', location, path), { page, hasNext: page * limit < total })}</div>`,
  };
}

function linksOf(location: AddressedLocation): Html {
  const { repository, ref, path } = location;
  const files = html`<a class="button" href="${filePath('src', location, path)}">${icon('folder')}Files</a>`;
  if (ref.kind !== 'branch' || path !== '') return files;
  const compare = comparisonPath(repository, {
    base: repository.defaultBranch,
    head: ref.name,
    isDirect: false,
  });
  return ref.name === repository.defaultBranch
    ? files
    : html`${files}<a class="button" href="${compare}">${icon('pull')}Compare</a>`;
}

function feedOf({ repository, ref, path }: AddressedLocation, title: string): Html {
  const at = encoded(path === '' ? ref.name : `${ref.name}/${path}`);
  return feedLinksAt(title, (format) => `${repositoryPath(repository)}/${format}/branch/${at}`);
}
