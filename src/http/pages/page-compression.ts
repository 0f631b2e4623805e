import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { App } from '../app.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { accepts } from './codings.ts';

/** Pages that `sendPage` allows to compress. */
const compressible = new WeakSet<FastifyReply>();

/**
 * Allows a page to be compressed. Not for a page with a secret: its size would show one who can make a browser open it with
 * parts of a guess (BREACH).
 */
export function allowCompression(reply: FastifyReply): void {
  compressible.add(reply);
}

/** Compresses the pages of `app` outside the thread of requests. */
export function compressPages(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || !compressible.has(reply)) return done(null, payload);
    reply.header('vary', 'accept-encoding');
    if (payload.length < HTTP_LIMITS.compressedPageCharsMin) return done(null, payload);
    const header = request.headers['accept-encoding'];
    const answerWith = (coding: string) => (error: Error | null, bytes: Buffer) => {
      // A page that cannot be compressed is sent as it is.
      if (error !== null) return done(null, payload);
      reply.header('content-encoding', coding);
      done(null, bytes);
    };
    if (accepts(header, 'br')) brotliCompress(payload, FAST, answerWith('br'));
    else if (accepts(header, 'gzip')) gzip(payload, answerWith('gzip'));
    else done(null, payload);
  });
}

/** Takes as long as gzip, and saves more. */
const FAST = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};
