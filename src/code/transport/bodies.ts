import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { Pace } from '../../base/core/fairness/pace.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import type { App } from '../../http/app.ts';
import { sentAtPace } from '../../http/pace.ts';

/** Passes bodies of git's own types on as streams and rejects every other type before reading it. */
export function acceptGitBodies(app: App): void {
  app.removeAllContentTypeParsers();
  for (const service of ['upload-pack', 'receive-pack']) {
    app.addContentTypeParser(`application/x-git-${service}-request`, (_request, payload, done) =>
      done(null, payload),
    );
  }
}

/**
 * Reads the body without the compression that git adds to requests of over a kilobyte. Ends the connection of a client
 * that sends too slowly.
 */
export function bodyOf(request: FastifyRequest, patienceMs: number): AsyncIterable<Buffer> {
  const service = request.routeOptions.url?.endsWith('git-receive-pack') ? 'receive-pack' : 'upload-pack';
  if (request.headers['content-type'] !== `application/x-git-${service}-request`) {
    const what = `send application/x-git-${service}-request`;
    throw new ForgeError({ kind: 'unsupported_media_type', what });
  }
  const pace = new Pace({ patienceMs, bytesPerSecondMin: GIT_LIMITS.transferBytesPerSecondMin }, () =>
    request.raw.destroy(),
  );
  const sent = sentAtPace(pace, request.body as Readable);
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return sent;
  if (encoding === 'gzip' || encoding === 'x-gzip') return inflate(sent);
  throw new ForgeError({ kind: 'unsupported_media_type', what: `unknown content encoding ${encoding}` });
}

/** Reports a body that is not gzip as the client's error. */
async function* inflate(sent: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(sent, { objectMode: false });
  const inflated = createGunzip();
  source.once('error', (error) => inflated.destroy(error));
  try {
    yield* source.pipe(inflated);
  } catch (cause) {
    if (source.errored !== null) throw cause;
    throw new ForgeError({ kind: 'bad_request', what: 'the body is not gzip, or ends early' }, { cause });
  }
}
