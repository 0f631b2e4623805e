import { type Html, html } from '../../../base/core/text/html.ts';
import { staticFile } from '../../../http/pages/static-file.ts';

/** The script of pages of threads, which work without it, too. */
export const THREAD_SCRIPT = staticFile(new URL('./thread.js', import.meta.url));

/** Returns the element that loads the script. */
export function threadScriptHtml(): Html {
  return html`<script type="module" src="${THREAD_SCRIPT.path}"></script>
`;
}
