import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { ForgeError } from '../core/failure.ts';
import { FairSlots } from '../core/fair-slots.ts';
import { LIMITS } from '../core/limits.ts';
import type { App } from './app.ts';

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
  readonly #clock: Clock;
  readonly #memory = new FairSlots({
    what: 'request bodies',
    unitsMax: LIMITS.bodyBytesInFlightMax,
    unitsPerCallerMax: LIMITS.bodyBytesPerCallerMax,
    unitsForSignedIn: LIMITS.bodyBytesInFlightMax / 2,
    queueMax: LIMITS.bodyQueueMax,
    queuePerCallerMax: LIMITS.bodyQueuePerCallerMax,
    waitMs: LIMITS.bodyQueueWaitMs,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
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
    const limit = bodyLimit ?? LIMITS.jsonBodyBytesMax;
    // A body without a stated length may become as large as the limit.
    const bytes = Number(request.headers['content-length'] ?? limit);
    if (bytes > limit && !request.is404) throw bodyTooLarge();
    const leave = await this.#memory.enter({
      units: Math.min(bytes, limit, config.bodyBytesInMemory ?? limit),
    });
    if (reply.raw.closed) leave();
    else reply.raw.once('close', leave);
  }

  /** Returns the body as a stream that fails with `too_slow` if the body does not arrive fast enough. */
  watched(request: FastifyRequest): Readable {
    const { raw } = request;
    if (raw.complete) return raw;
    // A stream of its own, because the response still needs the connection when the body fails.
    const body = new PassThrough();
    const ended = new AbortController();
    body.once('close', () => ended.abort());
    body.on('error', () => {});
    raw.once('error', (error) => body.destroy(error));
    raw.pipe(body);
    void this.#requireProgress(raw, body, ended.signal);
    return body;
  }

  async #requireProgress(raw: IncomingMessage, body: Readable, ended: AbortSignal): Promise<void> {
    const { socket } = raw;
    const deadline = this.#clock.now() + LIMITS.bodyMs;
    while (!ended.aborted) {
      const before = socket.bytesRead;
      await this.#clock.wait(LIMITS.bodyWindowMs, ended);
      if (raw.complete) return;
      const isUnread = body.readableLength > 0;
      const isSlow = !isUnread && socket.bytesRead - before < LIMITS.bodyBytesPerWindowMin;
      if (isSlow || this.#clock.now() >= deadline) body.destroy(tooSlow());
    }
  }
}

/** Bounds the bodies of all requests. Bodies of git are exempt: they stream, and their routes bound them. */
export function boundBodies(app: App, bodies: Bodies): void {
  app.decorate('bodies', bodies);
  // Without a listener, node asks every client at once for its body.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request)) return done(null, payload);
    takeBody(bodies, request, reply).then(
      (isWatched) => done(null, isWatched ? bodies.watched(request) : payload),
      done,
    );
  });
}

/** Returns whether the body needs to be watched. */
async function takeBody(bodies: Bodies, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
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

function tooSlow(): ForgeError {
  const rate = Math.ceil(LIMITS.bodyBytesPerWindowMin / (LIMITS.bodyWindowMs / 1000));
  return new ForgeError({
    kind: 'too_slow',
    what: `the request body arrives too slowly: send at least ${rate} bytes per second`,
  });
}
