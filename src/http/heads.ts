import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

// A HEAD takes the route of GET. Fastify would add a second route to each one, which takes a tenth of a start and
// several MB.

const heads = new WeakSet<IncomingMessage>();

/** Lets the router see a HEAD as a GET. By now, Node knows that the response has no body. */
export function routeAsGet(request: IncomingMessage): void {
  if (request.method !== 'HEAD') return;
  heads.add(request);
  request.method = 'GET';
}

/** Gives a request its own method again. Call it as soon as it has a route. */
export function restoreMethod(request: IncomingMessage): void {
  if (heads.has(request)) request.method = 'HEAD';
}

/** Methods that a route has for clients. */
export function methodsOf({ method }: { readonly method: string | readonly string[] }): readonly string[] {
  const methods = [method].flat();
  return methods.includes('GET') ? [...new Set([...methods, 'HEAD'])] : methods;
}

/**
 * Returns whether a route answers HEAD itself.
 *
 * @throws Error for a route of HEAD alone, which no request would reach
 */
export function answersHead({
  method,
  url,
}: {
  readonly method: string | readonly string[];
  readonly url: string;
}): boolean {
  const methods = [method].flat();
  if (methods.includes('HEAD') && !methods.includes('GET')) throw new Error(`${url} has HEAD and needs GET`);
  return methods.includes('HEAD');
}

/** Puts the length of a body into the headers instead of sending the body. */
export function sendLengthOnly(reply: FastifyReply, payload: unknown): void {
  if (payload instanceof Readable) {
    payload.once('error', (error) => reply.log.warn({ err: error }, 'a body that no one reads has failed'));
    payload.resume();
    return;
  }
  reply.header('content-length', Buffer.byteLength((payload ?? '') as string | Buffer));
}
