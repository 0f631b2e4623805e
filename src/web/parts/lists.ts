import { type Html, html } from '../../base/core/text/html.ts';

/** Returns what a list shows that has nothing: what is missing, and what to do. */
export function emptyHtml(what: string, advice: Html | string = ''): Html {
  return html`<div class="empty"><strong>${what}</strong>${advice}</div>`;
}

/**
 * Returns the links to the pages before and after this one.
 *
 * @param path with the query of the list, except for `page`
 */
export function pagerHtml(
  path: string,
  { page, hasNext }: { readonly page: number; readonly hasNext: boolean },
): Html {
  if (page <= 1 && !hasNext) return html``;
  const to = (number: number) => `${path}${path.includes('?') ? '&' : '?'}page=${number}`;
  const previous = page > 1 ? html`<a class="button" rel="prev" href="${to(page - 1)}">Previous</a>` : html``;
  const next = hasNext ? html`<a class="button" rel="next" href="${to(page + 1)}">Next</a>` : html``;
  return html`<nav class="pager" aria-label="Pages">${previous}${next}</nav>`;
}

/** A part of a page that its tabs show. */
export interface Tab {
  readonly path: string;
  readonly words: string;
  readonly icon?: Html;
  /** shown if it is not 0 */
  readonly count?: number;
}

/** @param current path of the tab that the page belongs to */
export function tabsHtml(label: string, tabs: readonly Tab[], current: string): Html {
  const links = tabs.map(({ path, words, icon = html``, count = 0 }) => {
    const mark = path === current ? html` aria-current="page"` : html``;
    const number = count === 0 ? html`` : html` <span class="count">${count}</span>`;
    return html`<a href="${path}"${mark}>${icon}${words}${number}</a>
`;
  });
  return html`<nav class="tabs" aria-label="${label}">
${links}</nav>`;
}
