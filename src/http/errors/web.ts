import type { FastifyReply } from 'fastify';
import type { Failure } from '../../base/core/failure.ts';
import { withVisibleCharacters } from '../../base/core/text/text.ts';
import { basePathOf } from '../app.ts';
import { isForBrowser, sendErrorPage } from './error-page.ts';
import type { Wire } from './wire.ts';

/** Where a user signs in, and where the user of a session proves again who they are. */
export const SIGN_IN_PATH = '/user/login';
export const CONFIRM_PATH = '/user/confirm';
/** Where users set up a second factor. */
export const SECURITY_PATH = '/user/settings/security';

/**
 * Errors of pages: a page for a browser, plain text for a program. A hidden page gets the response of a path without a route. A person who must sign in
 * first, or prove again who they are, is sent to the page for that, which leads back.
 */
export const WEB_WIRE: Wire = {
  name: 'web',
  send(reply, failure) {
    const { kind, what } = failure;
    const first = pageBefore(reply, failure);
    if (first !== undefined) return sendFirstTo(reply, first);
    if (kind === 'not_found') return sendNoPage(reply);
    return isForBrowser(reply) ? sendErrorPage(reply, what) : sendText(reply, what);
  },
  sendFault: (reply) =>
    isForBrowser(reply) ? sendErrorPage(reply, '') : sendText(reply, 'internal server error'),
};

/** Sends the response to a path without a page. Its status is already set. */
export function sendNoPage(reply: FastifyReply): FastifyReply {
  return isForBrowser(reply) ? sendErrorPage(reply, '') : sendText(reply, '404 page not found');
}

/** Returns the page that a person needs before the one they have asked for; undefined if no page helps. */
function pageBefore(reply: FastifyReply, failure: Failure): string | undefined {
  if (!isForBrowser(reply)) return undefined;
  if (failure.kind === 'unauthenticated') return SIGN_IN_PATH;
  const reason = failure.kind === 'forbidden' ? failure.reason : undefined;
  if (reason === 'second-factor') return SECURITY_PATH;
  return reason === 'proof' ? CONFIRM_PATH : undefined;
}

function sendFirstTo(reply: FastifyReply, page: string): FastifyReply {
  const { request } = reply;
  const basePath = basePathOf(new URL(request.server.ownAddresses.baseUrl));
  const location = `${basePath}${page}?redirect_to=${encodeURIComponent(pageOf(request, basePath))}`;
  return reply.headers({ location, 'cache-control': 'no-store' }).code(303).send();
}

/** Returns the path of the page that sent a request: a form may have an address that is no page. */
function pageOf({ method, url, headers, server }: FastifyReply['request'], basePath: string): string {
  if (method === 'GET') return url;
  const from = URL.parse(headers.referer ?? '');
  const isOwn =
    from?.origin === new URL(server.ownAddresses.baseUrl).origin && from.pathname.startsWith(`${basePath}/`);
  return isOwn ? `${from.pathname.slice(basePath.length)}${from.search}` : url;
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(`${withVisibleCharacters(text)}\n`);
}
