import type { FastifyReply } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { basePathOf } from '../app.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { allowCompression } from './page-compression.ts';
import { STYLESHEET } from './stylesheet.ts';

/** Pages load styles, scripts and pictures only from this server, and send forms only to it. */
function policyFor({ formAction, scriptSource }: { formAction: string; scriptSource: string }): string {
  return `default-src 'none'; ${scriptSource}style-src 'self'; img-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;
}

/** What surrounds each page: links to the parts of the server. */
export interface PageFrame {
  /** elements of `head`, after the stylesheet */
  readonly head: Html;
  readonly header: Html;
  readonly footer: Html;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the frame of the pages that the caller sees; null for a server without pages. */
    pageFrame: ((request: FastifyReply['request']) => PageFrame) | null;
  }
}

/**
 * What keeps the token in the address of a page out of caches, search engines and the header `Referer` of other requests.
 * The policy `no-referrer` would also make browsers without `Sec-Fetch-Site` send `Origin: null` with the form of the page.
 */
const SECRET_ADDRESS = {
  'cache-control': 'no-store',
  'referrer-policy': 'strict-origin',
  'x-robots-tag': 'noindex',
};

const NO_FRAME: PageFrame = { head: html``, header: html``, footer: html`` };

/** A page as a feature describes it. */
export interface Page {
  readonly title: string;
  /** what is between the header and the footer of the server; it begins with the only `h1` */
  readonly body: Html;
  /** elements of `head` */
  readonly head?: Html;
  /** whether it has a form with the token of its browser */
  readonly hasForm?: boolean;
  /** a scheme, such as `nc:`, to which the response to a form may lead; browsers check it */
  readonly formLeadsTo?: string | undefined;
  /** whether it loads a script of this server */
  readonly hasScript?: boolean | undefined;
  /** whether its address contains a token */
  readonly hasSecretAddress?: boolean;
  /** whether not even the browser of the caller may store it */
  readonly isSecret?: boolean | undefined;
}

/**
 * Sends a page. Its content may depend on the caller, so no cache between them may keep it. Addresses in a page are paths of
 * this server, without the path of the base URL.
 */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const { request, server } = reply;
  const formAction = page.formLeadsTo === undefined ? "'self'" : `'self' ${page.formLeadsTo}`;
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor({
      formAction,
      scriptSource: page.hasScript === true ? "script-src 'self'; connect-src 'self'; " : '',
    }),
    'cache-control': page.isSecret === true ? 'no-store' : 'private, no-cache',
    ...(page.hasSecretAddress === true ? SECRET_ADDRESS : {}),
  });
  if (page.hasForm !== true && page.isSecret !== true) allowCompression(reply);
  const { title, body, head = html`` } = page;
  const frame = server.pageFrame?.(request) ?? NO_FRAME;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${STYLESHEET.path}">
${frame.head}<meta name="color-scheme" content="light dark">
${head}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${frame.header}<main id="main">
${body}
</main>
${frame.footer}</body>
</html>
`;
  if (document.html.length > HTTP_LIMITS.pageCharsMax) throw tooLarge();
  return reply.send(withBasePath(document.html, basePathOf(new URL(server.ownAddresses.baseUrl))));
}

function tooLarge(): ForgeError {
  const what = 'this page would be too large: git and the API have all of it';
  return new ForgeError({ kind: 'invalid', what });
}

/** Addresses in texts of users cannot be meant: in them, quotes are escaped, and links of Markdown are whole. */
const LOCAL_ADDRESSES = / (href|src|action|formaction)="\/(?!\/)/g;

function withBasePath(document: string, basePath: string): string {
  return basePath === '' ? document : document.replaceAll(LOCAL_ADDRESSES, ` $1="${basePath}/`);
}
