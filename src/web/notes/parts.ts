import { type Html, html } from '../../base/core/text/html.ts';
import { icon, iconWithWords } from '../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { agoHtml } from '../parts/time.ts';
import type { ListChoice, ShownList, ShownNote } from './list.ts';

export const NOTES_PATH = '/-/notes';

/** The three panes: categories, the list, and what is beside them. On a phone, one of them is shown. */
export function panes(
  {
    list,
    choice,
    openId,
  }: { readonly list: ShownList; readonly choice: ListChoice; readonly openId?: number },
  side: Html,
): Html {
  return html`<div class="notes${openId === undefined ? '' : ' has-note'}">
${categoriesPane(list, choice)}
${listPane(list, choice, openId)}
<section class="note-pane" aria-label="Note">${side}</section>
</div>`;
}

function categoriesPane({ categories }: ShownList, choice: ListChoice): Html {
  const links = [...categories].map(([category, count]) =>
    categoryLink(category, category === '' ? 'Without category' : category, count, choice),
  );
  const all = [...categories.values()].reduce((sum, count) => sum + count, 0);
  return html`<nav class="side-nav note-categories" aria-label="Categories"><ul>
${categoryLink(undefined, 'All notes', all, choice)}${links}
<li><a href="${NOTES_PATH}/deleted">${icon('trash')} Deleted</a></li>
</ul></nav>`;
}

function categoryLink(category: string | undefined, words: string, count: number, choice: ListChoice): Html {
  const isCurrent = choice.words === '' && choice.category === category;
  const path = category === undefined ? NOTES_PATH : `${NOTES_PATH}?category=${encodeURIComponent(category)}`;
  return html`<li><a href="${path}"${isCurrent ? html` aria-current="page"` : html``}>${words} <span class="count">${count}</span></a></li>
`;
}

function listPane(
  { notes, hasNext, total }: ShownList,
  choice: ListChoice,
  openId: number | undefined,
): Html {
  const { category, words, page } = choice;
  const advice =
    words === ''
      ? html`<a href="${NOTES_PATH}/new">Write the first one</a>, or connect an app on your phone.`
      : html`<a href="${NOTES_PATH}">Clear the search</a>`;
  const query =
    words === ''
      ? category === undefined
        ? ''
        : `?category=${encodeURIComponent(category)}`
      : `?q=${encodeURIComponent(words)}`;
  const newQuery =
    category === undefined || category === '' ? '' : `?category=${encodeURIComponent(category)}`;
  return html`<section class="note-list stack tight" aria-label="Notes">
<div class="row"><form role="search" action="${NOTES_PATH}"><label><span class="sr-only">Search notes</span><input type="search" name="q" value="${words}" placeholder="Search ${total} notes" maxlength="200"></label></form>
<a class="button primary" href="${NOTES_PATH}/new${newQuery}">${icon('plus')}New</a></div>
${
  notes.length === 0
    ? emptyHtml(words === '' ? 'No notes yet' : 'No note has these words', advice)
    : html`<ul class="rows box">
${notes.map((note) => noteRow(note, note.id === openId))}</ul>`
}
${pagerHtml(`${NOTES_PATH}${query}`, { page, hasNext })}</section>`;
}

function noteRow({ id, title, category, modifiedAt, isFavorite, snippet }: ShownNote, isOpen: boolean): Html {
  const found = snippet.map(({ text, match }) => (match ? html`<mark>${text}</mark>` : html`${text}`));
  return html`<li><div class="grow"><a href="${NOTES_PATH}/${id}"${isOpen ? html` aria-current="page"` : html``}>${title}</a>
${isFavorite ? iconWithWords('star', 'Favorite') : html``}
${snippet.length === 0 ? html`` : html`<div class="small">${found}</div>`}
<div class="quiet small">${category === '' ? html`` : html`${category} · `}${agoHtml(modifiedAt)}</div></div></li>
`;
}
