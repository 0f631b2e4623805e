import { type Html, html } from '../../../base/core/text/html.ts';
import type { Markdown } from '../../../tracker/markdown/service.ts';
import { renderedTexts } from './texts.ts';
import type { TrackerView } from './view.ts';

/** The button of a form that shows how a text will look. */
export const PREVIEW_FIELD = 'preview';

/** Returns the button that shows a text before it is saved, on the same form. */
export const PREVIEW_BUTTON = html`<button name="${PREVIEW_FIELD}" value="on" formnovalidate>Preview</button>`;

/** Returns a text as it will look. */
export async function previewBox(
  view: TrackerView,
  markdown: Markdown,
  text: string,
  mode: 'comment' | 'wiki' = 'comment',
): Promise<Html> {
  const rendered = await renderedTexts(view, markdown, [{ id: 0, body: text }], mode);
  return html`<section class="box" aria-label="Preview"><div class="title"><h2>Preview</h2></div>
<div class="content">${rendered.get(0) ?? html`<p class="quiet">Nothing to show yet.</p>`}</div></section>
`;
}
