import type { Viewer } from '../../api/access/viewer.ts';
import { isFailure } from '../../base/core/failure.ts';
import { asWritten, type Html, html } from '../../base/core/text/html.ts';
import type { RenderRequest } from '../../tracker/markdown/model.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { WEB_LIMITS } from '../limits.ts';
import { beginningOf } from './words.ts';

/** Returns a text as HTML; as it is written if it takes too long to render. */
export async function markdownHtml(
  markdown: Markdown,
  viewer: Viewer,
  request: RenderRequest,
): Promise<Html> {
  try {
    return html`<div class="markdown">${{ html: accessible(await markdown.render(viewer, request)) }}</div>`;
  } catch (error) {
    if (!isFailure(error, 'invalid', 'busy')) throw error;
    return html`<pre>${asWritten(request.text)}</pre>`;
  }
}

/**
 * Lets people who use only a keyboard scroll wide tables and code, and names the boxes of tasks. In rendered texts, `<`
 * begins only elements.
 */
function accessible(rendered: string): string {
  return rendered
    .replaceAll(
      /<table(?=[ >])/g,
      '<div class="table-scroll" tabindex="0" role="region" aria-label="Table"><table',
    )
    .replaceAll('</table>', '</table></div>')
    .replaceAll(/<pre(?=[ >])/g, '<pre tabindex="0"')
    .replaceAll('<input type="checkbox"', '<input aria-label="Task" type="checkbox"');
}

/** Returns the texts of one page as HTML; each that takes too long to render as it is written. */
export async function markdownTexts(
  markdown: Markdown,
  viewer: Viewer,
  texts: readonly string[],
  request: Omit<RenderRequest, 'text' | 'filePath'>,
): Promise<readonly Html[]> {
  let chars = 0;
  // A page with many long texts would take the thread of all for long.
  const fitting = texts.filter((text) => {
    chars += text.length;
    return chars <= WEB_LIMITS.renderedCharsOfPageMax;
  });
  const rendered = await markdown.renderAll(viewer, fitting, request);
  return texts.map((text) => {
    const at = fitting.indexOf(text);
    const one = at === -1 ? undefined : rendered[at];
    return one === undefined
      ? html`<pre>${asWritten(beginningOf(text, WEB_LIMITS.unrenderedCharsMax))}</pre>`
      : html`<div class="markdown">${{ html: accessible(one) }}</div>`;
  });
}
