import type { Readable } from 'node:stream';
import { malformed } from '../../base/core/failure.ts';
import type { App } from '../../http/app.ts';
import { bodyTooDeep, bodyTooLarge } from '../../http/bodies/bodies.ts';
import { HTTP_LIMITS } from '../../http/limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is an object or a part of one. The handler reads it as a stream. */
    receivesObject?: true;
  }
}

/**
 * Accepts bodies of any media type, because clients of this wire send different types. Parses a body as JSON unless the
 * route takes an object.
 */
export function acceptLfsBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.routeOptions.config.receivesObject === true) done(null, payload);
    else readJson(payload).then((body) => done(null, body), done);
  });
}

async function readJson(payload: Readable): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > HTTP_LIMITS.jsonBodyBytesMax) throw bodyTooLarge();
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  try {
    return text === '' ? undefined : JSON.parse(text, withoutPrototypes);
  } catch (error) {
    // The function for members runs on the stack, which a deep body exhausts.
    throw error instanceof RangeError ? bodyTooDeep() : malformed('the body is not JSON');
  }
}

/** Drops members that would set the prototype of an object. */
function withoutPrototypes(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}
