import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';

/** A page of settings that the navigation leads to. */
export interface SideLink {
  readonly path: string;
  readonly words: string;
  /** of its route, where the path names a repository or an organization */
  readonly route?: string;
}

/** Returns the content of a page of settings beside the links to the others. It leads only to pages that this server has. */
export function besideNav(
  reply: FastifyReply,
  {
    label,
    links,
    current,
  }: { readonly label: string; readonly links: readonly SideLink[]; readonly current: string },
  content: Html,
): Html {
  const present = links.filter(({ path, route = path }) =>
    reply.server.hasRoute({ method: 'GET', url: route }),
  );
  const items = present.map(
    ({ path, words }) =>
      html`<li><a href="${path}"${path === current ? html` aria-current="page"` : html``}>${words}</a></li>
`,
  );
  return html`<div class="columns settings"><nav class="side-nav" aria-label="${label}"><ul>
${items}</ul></nav>
${content}</div>`;
}

/** Returns a part of a page of settings. @param end beside the title */
export function settingsBox(title: string, content: Html, end: Html = html``): Html {
  return html`<section class="box"><div class="title"><h2>${title}</h2><span class="end">${end}</span></div>
<div class="content stack">${content}</div></section>
`;
}

/** Returns a part of a page of settings whose changes cannot be undone. */
export function dangerBox(title: string, content: Html): Html {
  return html`<section class="box danger"><div class="title"><h2>${title}</h2></div>
<div class="content stack">${content}</div></section>
`;
}
