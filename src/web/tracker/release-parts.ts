import { type Html, html } from '../../base/core/text/html.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { Page } from '../../http/pages/page.ts';
import { RELEASE } from '../../tracker/releases/actions.ts';
import { RELEASE_LIMITS } from '../../tracker/releases/limits.ts';
import type { Release, ReleaseFields } from '../../tracker/releases/model.ts';
import type { Asset } from '../../tracker/releases/models/assets.ts';
import { encoded, repositoryPath, tagPath } from '../addresses.ts';
import { problemHtml } from '../forms/form-parts.ts';
import { icon } from '../parts/icons.ts';
import { counted, sizeText } from '../parts/numbers.ts';
import { avatarHtml, personHtml } from '../parts/people.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { agoHtml } from '../parts/time.ts';
import { flag, lineField, textField } from './parts/fields.ts';
import { filesForm } from './parts/files-form.ts';
import { mayChange, postForm, type TrackerView } from './parts/view.ts';

export function releasesPath(repository: Repository): string {
  return `${repositoryPath(repository)}/releases`;
}

export function releasePath({ repository, tag }: Pick<Release, 'repository' | 'tag'>): string {
  return `${releasesPath(repository)}/tag/${encoded(tag)}`;
}

/** Returns a release with its text, its files and the forms that change it. @param text rendered */
export function releaseBox(view: TrackerView, release: Release, text: Html): Html {
  const { title, tag, author, publishedAt, isDraft, repository } = release;
  const path = releasePath(release);
  const name = isDraft ? html`${title}` : html`<a href="${path}">${title}</a>`;
  const change = mayChange(view, RELEASE.change)
    ? html`<a class="button small" href="${releasesPath(repository)}/${release.id}/edit">${icon('pencil')}Edit</a>`
    : html``;
  const tagLink = isDraft
    ? html`${icon('tag')} ${tag}`
    : html`<a href="${tagPath(repository, tag)}">${icon('tag')} ${tag}</a>`;
  const who = author === null ? html`` : html`${avatarHtml(author, 20, view.addresses)} `;
  return html`<article class="box release" id="release-${release.id}"><div class="title"><h2>${name}</h2>${kindBadge(release)}<span class="end">${change}</span></div>
<div class="content stack"><p class="quiet row">${tagLink} <span>${who}${personHtml(author)} ${isDraft ? 'drafted' : 'published'} this ${agoHtml(publishedAt)}</span></p>
${text}${filesPart(release)}</div></article>
`;
}

function kindBadge({ isDraft, isPrerelease }: Release): Html {
  if (isDraft) return html`<span class="state draft">Draft</span>`;
  return isPrerelease ? html`<span class="badge">Prerelease</span>` : html``;
}

function filesPart(release: Release): Html {
  const { assets, repository, tag, hidesArchives, isDraft } = release;
  const archive = `${repositoryPath(repository)}/archive/${encoded(tag)}`;
  const archives =
    hidesArchives || isDraft
      ? []
      : ['zip', 'tar.gz'].map(
          (format) =>
            html`<li>${icon('archive')} <a href="${archive}.${format}">Source code (${format})</a></li>\n`,
        );
  const files = [...assets.map((asset) => assetRow(asset, release)), ...archives];
  if (files.length === 0) return html``;
  return html`<section aria-label="Files of ${tag}"><h3>Files</h3>
<ul class="facts">
${files}</ul></section>`;
}

function assetRow(asset: Asset, release: Release): Html {
  const { name, sizeBytes, downloads, externalUrl } = asset;
  const about =
    externalUrl === null ? `${sizeText(sizeBytes)}, ${counted(downloads, 'download')}` : 'on another server';
  const path = assetPath(asset, release);
  return html`<li>${icon(externalUrl === null ? 'download' : 'external')} <a href="${path}"${externalUrl === null ? html`` : html` rel="nofollow noopener noreferrer"`}>${name}</a> <span class="quiet small number">${about}</span></li>\n`;
}

function assetPath({ name, externalUrl }: Asset, { repository, tag }: Release): string {
  return externalUrl ?? `${releasesPath(repository)}/download/${encoded(tag)}/${encodeURIComponent(name)}`;
}

/** @param release undefined: a new one */
export function releaseFormPage(
  view: TrackerView,
  release: Release | undefined,
  fields: ReleaseFields,
  problem?: string,
): Page {
  const { repository } = view.permitted;
  const path = releasesPath(repository);
  const heading = release === undefined ? 'New release' : `Change ${release.title}`;
  const form = postForm(view, {
    action: release === undefined ? `${path}/new` : `${path}/${release.id}/edit`,
    look: 'form wide',
    content: html`${tagFields(fields)}
${lineField({ name: 'title', label: 'Title', value: fields.title, charsMax: RELEASE_LIMITS.releaseTitleCharsMax, hint: 'Empty: the name of the tag' })}
${textField({ name: 'content', label: 'Text', text: fields.body })}
${choice('prerelease', fields.isPrerelease, 'Prerelease', 'Not ready for everyone; it is never the latest release')}
${choice('hide_archive_links', fields.hidesArchives, 'Without links to the source code', 'The page shows only the files that you add')}
<div class="row buttons"><span class="end row reversed"><button class="primary">${release === undefined || release.isDraft ? 'Publish' : 'Save'}</button>${release === undefined || release.isDraft ? html`<button name="draft" value="on">Save as a draft</button>` : html``}</span></div>`,
  });
  return {
    title: `${heading} · ${repository.owner.name}/${repository.name}`,
    hasForm: true,
    body: html`${repositoryHeader(view.permitted, 'releases')}
<div class="stack"><h1>${heading}</h1>
${problemHtml(problem)}${form}${release === undefined ? html`` : changeParts(view, release)}<p><a href="${path}">Back to the releases</a></p></div>`,
  };
}

function tagFields({ tag, target }: ReleaseFields): Html {
  return html`${lineField({ name: 'tag_name', label: 'Tag', value: tag, charsMax: 255, isRequired: true, hint: 'An existing tag, or the name of a new one' })}
${lineField({ name: 'tag_target', label: 'Target of a new tag', value: target, charsMax: RELEASE_LIMITS.releaseTargetCharsMax, hint: 'A branch or a commit' })}`;
}

function choice(name: string, isSet: boolean, words: string, about: string): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}"${flag('checked', isSet)}><span>${words} <span class="quiet">${about}</span></span></label>`;
}

/** The forms about the files of a release, and its deletion. */
function changeParts(view: TrackerView, release: Release): Html {
  const path = `${releasesPath(release.repository)}/${release.id}`;
  return html`${filesForm(view, `${path}/assets`, release.assets)}
<section class="box"><div class="title"><h2>Delete</h2></div>
<div class="content stack"><p>The release and its files are deleted. The tag stays.</p>${postForm(view, { action: `${path}/delete`, content: html`<button class="danger">Delete this release</button>` })}</div></section>
`;
}
