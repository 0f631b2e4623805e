import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';

const DESCRIPTION_CHARS_MAX = 200;

/**
 * Returns what other programs show of a link to a page (Open Graph), and the one address of the page.
 *
 * @param page.path without the path of the base URL
 * @param page.image the whole address of a picture
 */
export function socialHead(
  page: {
    readonly path: string;
    readonly title: string;
    readonly description: string;
    readonly image?: string;
  },
  { baseUrl }: Addresses,
): Html {
  const { path, title, image } = page;
  const description = page.description.replaceAll(/\s+/g, ' ').trim().slice(0, DESCRIPTION_CHARS_MAX);
  const about =
    description === ''
      ? html``
      : html`<meta name="description" content="${description}"><meta property="og:description" content="${description}">
`;
  const picture =
    image === undefined
      ? html``
      : html`<meta property="og:image" content="${image}">
`;
  return html`<link rel="canonical" href="${baseUrl}${path}">
<meta property="og:type" content="website"><meta property="og:title" content="${title}"><meta property="og:url" content="${baseUrl}${path}">
${about}${picture}`;
}
