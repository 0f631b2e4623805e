import { type Html, html } from '../../../base/core/text/html.ts';
import { WIKI_PAGE_LIMITS } from '../../../code/wiki-pages/limits.ts';
import type { OpenWiki, Revisions } from '../../../code/wiki-pages/model.ts';
import type { PageFile } from '../../../code/wiki-pages/page-index.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import { editingOf, settingsOf } from '../../../hosting/wikis/authorize.ts';
import type { Page } from '../../../http/pages/page.ts';
import { repositoryPath } from '../../addresses.ts';
import { problemHtml } from '../../forms/form-parts.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { subjectOf } from '../../parts/commits.ts';
import { icon } from '../../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../../parts/lists.ts';
import { counted } from '../../parts/numbers.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { agoHtml } from '../../parts/time.ts';
import { lineField, textField } from '../parts/fields.ts';
import { PREVIEW_BUTTON } from '../parts/preview.ts';
import { mayChange, postForm, type TrackerView } from '../parts/view.ts';

/** Values of the query `action`, as in the reference. */
export const ACTIONS = { list: '_pages', create: '_new', edit: '_edit', history: '_revision' } as const;

export function wikiPath(repository: Repository): string {
  return `${repositoryPath(repository)}/wiki`;
}

/** Whether the viewer may change the wiki. */
export function mayEditWiki(view: TrackerView): boolean {
  const { repository } = view.permitted;
  const settings = settingsOf(repository);
  return settings !== undefined && !repository.isMirror && mayChange(view, editingOf(settings));
}

export function wikiTitle(repository: Repository, title: string): string {
  return `${title} · ${repository.owner.name}/${repository.name}`;
}

/** What is around each page of a wiki. */
export function wikiFrame(view: TrackerView, title: string, body: Html, actions = html``): Html {
  return html`${repositoryHeader(view.permitted, 'wiki')}
<div class="stack"><div class="row"><h1>${title}</h1><span class="end row">${actions}</span></div>
${body}</div>`;
}

/** Returns the links at the top of a page. */
export function pageLinks(view: TrackerView, page: PageFile): Html {
  const wiki = wikiPath(view.permitted.repository);
  const path = `${wiki}/${page.address}`;
  const edit = mayEditWiki(view)
    ? html`<a class="button small" href="${path}?action=${ACTIONS.edit}">${icon('pencil')}Edit</a>${newLink(view)}`
    : html``;
  return html`<a class="button small" href="${path}?action=${ACTIONS.history}">${icon('history')}History</a>${edit}`;
}

function newLink(view: TrackerView): Html {
  const path = `${wikiPath(view.permitted.repository)}?action=${ACTIONS.create}`;
  return mayEditWiki(view)
    ? html`<a class="button small primary" href="${path}">${icon('plus')}New page</a>`
    : html``;
}

/** Returns the links to the first pages, beside a page. */
export function contentsPart({ permitted }: TrackerView, { index }: OpenWiki, current: PageFile): Html {
  const wiki = wikiPath(permitted.repository);
  const items = index.pages.slice(0, WEB_LIMITS.wikiPagesBesideMax).map(({ title, address }) => {
    const mark = address === current.address ? html` aria-current="page"` : html``;
    return html`<li><a href="${wiki}/${address}"${mark}>${title}</a></li>\n`;
  });
  return html`<nav class="side-nav" aria-label="Pages of this wiki"><ul>
${items}<li><a href="${wiki}?action=${ACTIONS.list}">All ${counted(index.pages.length, 'page')}</a></li>
</ul></nav>`;
}

/** The list of all pages of a wiki. */
export function wikiListPage(view: TrackerView, open: OpenWiki | undefined): Page {
  const { repository } = view.permitted;
  const pages = open?.index.pages ?? [];
  const shown = pages.slice(0, WEB_LIMITS.pageEntriesMax);
  const hidden = pages.length - shown.length;
  const wiki = wikiPath(repository);
  const items = shown.map(
    ({ title, address }) => html`<li>${icon('book')} <a href="${wiki}/${address}">${title}</a></li>\n`,
  );
  const list =
    pages.length === 0
      ? emptyHtml(
          'This wiki has no page yet',
          mayEditWiki(view)
            ? html`<a href="${wiki}?action=${ACTIONS.create}">Write the first one</a>`
            : 'Its pages appear here.',
        )
      : html`<div class="box"><ul class="rows">\n${items}</ul></div>`;
  const body = html`${list}${hidden > 0 ? html`<p>and ${hidden} more</p>` : html``}`;
  return { title: wikiTitle(repository, 'Wiki'), body: wikiFrame(view, 'Wiki', body, newLink(view)) };
}

/** What a form about a page has in its fields. */
export interface TypedPage {
  readonly title: string;
  readonly content: string;
  readonly message: string;
}

/** @param page undefined: a new one */
export function wikiFormPage(
  view: TrackerView,
  page: PageFile | undefined,
  typed: TypedPage,
  {
    problem,
    preview = html``,
    seen = page?.blob ?? '',
  }: {
    readonly problem?: string;
    readonly preview?: Html;
    /** id of the text with which the edit began */
    readonly seen?: string;
  } = {},
): Page {
  const { repository } = view.permitted;
  const wiki = wikiPath(repository);
  const path = page === undefined ? wiki : `${wiki}/${page.address}`;
  const heading = page === undefined ? 'New page' : `Edit ${page.title}`;
  const form = postForm(view, {
    action: `${path}?action=${page === undefined ? ACTIONS.create : ACTIONS.edit}`,
    look: 'form wide',
    content: html`<input type="hidden" name="seen" value="${seen}">${lineField({ name: 'title', label: 'Title', value: typed.title, charsMax: WIKI_PAGE_LIMITS.titleCharsMax, isRequired: true })}
${textField({ name: 'content', label: 'Text', text: typed.content, charsMax: WIKI_PAGE_LIMITS.wikiPageWrittenBytesMax })}
${lineField({ name: 'message', label: 'What has changed', value: typed.message, charsMax: 500, hint: 'Empty: a usual message' })}
<div class="row buttons"><span class="hint">Markdown works here.</span><span class="end row reversed"><button class="primary">Save the page</button>${PREVIEW_BUTTON}</span></div>`,
  });
  const remove =
    page === undefined
      ? html``
      : postForm(view, {
          action: `${path}?action=_delete`,
          content: html`<button class="danger">Delete this page</button>`,
        });
  const body = html`${problemHtml(problem)}${preview}${form}${remove}<p><a href="${path}">Back</a></p>`;
  return { title: wikiTitle(repository, heading), hasForm: true, body: wikiFrame(view, heading, body) };
}

/** The commits that changed a page. */
export function wikiHistoryPage(
  view: TrackerView,
  file: PageFile,
  { commits, total }: Revisions,
  page: number,
): Page {
  const { repository } = view.permitted;
  const path = `${wikiPath(repository)}/${file.address}`;
  const rows = commits.map(
    ({ oid, message, author }) =>
      html`<li><span class="grow">${subjectOf(message)}<br><span class="quiet small">${author.name}, ${agoHtml(author.seconds * 1000)}</span></span><code class="quiet">${oid.slice(0, 10)}</code></li>\n`,
  );
  const hasNext = page * WIKI_PAGE_LIMITS.revisionsPerPage < total;
  const body = html`<p class="quiet">${counted(total, 'change')} of <a href="${path}">${file.title}</a></p>
<div class="box"><ul class="rows">\n${rows}</ul></div>
${pagerHtml(`${path}?action=${ACTIONS.history}`, { page, hasNext })}`;
  return {
    title: wikiTitle(repository, `History of ${file.title}`),
    body: wikiFrame(view, 'History', body),
  };
}
