import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { App } from '../app.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { UNIT_BYTES_MAX } from '../responses.ts';
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
    const coding = codingFor(request.headers['accept-encoding'], payload.length);
    if (coding === undefined || request.caller.left.aborted) return done(null, payload);
    const end = (error: Error | null, bytes: Buffer) => {
      // A page that cannot be compressed is sent as it is.
      if (error !== null) return done(null, payload);
      reply.header('content-encoding', coding);
      done(null, bytes);
    };
    const compress = () => (coding === 'br' ? brotliCompress(payload, FAST, end) : gzip(payload, end));
    if (payload.length * UNIT_BYTES_MAX <= HTTP_LIMITS.responseBytesUncounted) return compress();
    // The memory that the page takes does not follow from the length of what is sent.
    app.responses.hold(reply, payload.length).then(compress, (error: Error) => done(error));
  });
}

function codingFor(header: string | undefined, length: number): 'br' | 'gzip' | undefined {
  if (length < HTTP_LIMITS.compressedPageCharsMin || length > HTTP_LIMITS.compressedPageCharsMax)
    return undefined;
  return (['br', 'gzip'] as const).find((coding) => accepts(header, coding));
}

/** Takes as long as gzip, and saves more. */
const FAST = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};
