import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForgeError, malformed } from '../../base/core/failure.ts';
import { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { Pace } from '../../base/core/fairness/pace.ts';
import type { App } from '../app.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { sentAtPace } from '../pace.ts';

declare module 'fastify' {
  interface FastifyInstance {
    bodies: Bodies;
  }

  interface FastifyContextConfig {
    /** bytes of a body that are in memory at once, for routes that process it while it arrives; by default all of it */
    bodyBytesInMemory?: number;
  }
}

/** The request bodies of one server. Their bytes in memory are bounded, and each must arrive at a minimum rate. */
export class Bodies {
  readonly #patienceMs: number;
  readonly #memory = new FairSlots({
    what: 'request bodies',
    unitsMax: HTTP_LIMITS.bodyBytesInFlightMax,
    unitsPerCallerMax: HTTP_LIMITS.bodyBytesPerCallerMax,
    unitsForSignedIn: HTTP_LIMITS.bodyBytesInFlightMax / 2,
    queueMax: HTTP_LIMITS.bodyQueueMax,
    queuePerCallerMax: HTTP_LIMITS.bodyQueuePerCallerMax,
    waitMs: HTTP_LIMITS.bodyQueueWaitMs,
  });

  constructor(options: { patienceMs: number }) {
    this.#patienceMs = options.patienceMs;
  }

  get bytesInFlight(): number {
    return this.#memory.running;
  }

  /**
   * Waits until there is room for the body, and keeps that room until the response has been sent or the client is gone.
   *
   * @throws ForgeError `too_large`, `busy`
   */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { bodyLimit, config } = request.routeOptions;
    const limit = bodyLimit ?? HTTP_LIMITS.jsonBodyBytesMax;
    // A body without a stated length may become as large as the limit.
    const bytes = Number(request.headers['content-length'] ?? limit);
    if (bytes > limit && !request.is404) throw bodyTooLarge();
    const leave = await this.#memory.enter({
      units: Math.min(bytes, limit, config.bodyBytesInMemory ?? limit),
    });
    if (reply.raw.closed) leave();
    else reply.raw.once('close', leave);
  }

  /** Returns the body as a stream that fails with `too_slow` if the client sends it too slowly. */
  watched({ raw }: FastifyRequest): Readable {
    if (raw.complete) return raw;
    // A stream of its own, because the response still needs the connection when the body fails.
    const body = new PassThrough();
    body.on('error', () => {});
    const bytesPerSecondMin = HTTP_LIMITS.bodyBytesPerSecondMin;
    const pace = new Pace({ patienceMs: this.#patienceMs, bytesPerSecondMin }, () => body.destroy(tooSlow()));
    pass(sentAtPace(pace, raw), body).catch((error: Error) => body.destroy(error));
    return body;
  }
}

async function pass(source: AsyncIterable<Buffer>, to: Writable): Promise<void> {
  for await (const chunk of source) {
    if (!to.write(chunk)) await once(to, 'drain');
  }
  to.end();
}

/** Bounds the bodies of all requests. Bodies of git are exempt: they stream, and their routes bound them. */
export function boundBodies(app: App, bodies: Bodies): void {
  app.decorate('bodies', bodies);
  // Without a listener, node asks every client at once for its body.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request)) return done(null, payload);
    acceptBody(bodies, request, reply).then(
      (isWatched) => done(null, isWatched ? bodies.watched(request) : payload),
      done,
    );
  });
}

/** Returns whether the body needs to be watched. */
async function acceptBody(bodies: Bodies, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const isForGit = request.routeOptions.config.wire === 'git';
  if (!isForGit) await bodies.admit(request, reply);
  if (request.headers.expect !== undefined) reply.raw.writeContinue();
  return !isForGit && request.method !== 'GET' && request.method !== 'HEAD';
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export function bodyTooLarge(): ForgeError {
  return new ForgeError({ kind: 'too_large', what: 'the request body is too large' });
}

export function bodyTooDeep(): ForgeError {
  return malformed(`[]: the body nests objects and arrays deeper than ${HTTP_LIMITS.jsonBodyDepthMax}`);
}

function tooSlow(): ForgeError {
  const what = `the request body arrives too slowly: send at least ${HTTP_LIMITS.bodyBytesPerSecondMin} bytes per second`;
  return new ForgeError({ kind: 'too_slow', what });
}
