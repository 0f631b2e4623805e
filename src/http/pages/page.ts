import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';

/** Pages load styles and pictures only from this server, run no scripts and send no forms. */
export const PAGE_POLICY = policy({ formAction: "'none'", scriptSource: '' });

function policy({ formAction, scriptSource }: { formAction: string; scriptSource: string }): string {
  return `default-src 'none'; ${scriptSource}style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;
}

export const STYLE = html`<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.75rem; line-height: 1.25 }
pre { background: #f4f4f2; padding: .8rem 1rem; overflow-x: auto; border-radius: 6px }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1a } pre { background: #2a2a28 } a { color: #9cf } }
</style>`;

/**
 * What keeps the token in the address of a page out of caches, search engines and the header `Referer` of other requests.
 * The policy `no-referrer` would also make browsers without `Sec-Fetch-Site` send `Origin: null` with the form of the page.
 */
const SECRET_ADDRESS = {
  'cache-control': 'no-store',
  'referrer-policy': 'strict-origin',
  'x-robots-tag': 'noindex',
};

/**
 * Sends a page. Its content may depend on the caller, so no cache between them may keep it.
 *
 * @param page.hasForm whether it has forms, which it sends to this server
 * @param page.formLeadsTo a scheme, such as `nc:`, to which the response to a form may lead; browsers check it
 * @param page.hasScript whether a page with a form loads a script of this server
 * @param page.hasSecretAddress whether its address contains a token
 * @param page.isSecret whether not even the browser of the caller may store it
 */
export function sendPage(
  reply: FastifyReply,
  page: {
    title: string;
    body: Html;
    head?: Html;
    hasForm?: boolean;
    formLeadsTo?: string | undefined;
    hasScript?: boolean | undefined;
    hasSecretAddress?: boolean;
    isSecret?: boolean | undefined;
  },
): FastifyReply {
  const formAction = page.formLeadsTo === undefined ? "'self'" : `'self' ${page.formLeadsTo}`;
  const scriptSource = page.hasScript === true ? "script-src 'self'; " : '';
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': page.hasForm === true ? policy({ formAction, scriptSource }) : PAGE_POLICY,
    'cache-control': page.isSecret === true ? 'no-store' : 'private, no-cache',
    ...(page.hasSecretAddress === true ? SECRET_ADDRESS : {}),
  });
  const { title, body, head = html`` } = page;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<title>${title}</title>
${STYLE}
</head>
<body>
${body}
</body>
</html>
`;
  return reply.send(document.html);
}
