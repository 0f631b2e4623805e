import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify';
import { FairSlots } from '../base/core/fairness/fair-slots.ts';
import { Pace } from '../base/core/fairness/pace.ts';
import { GIT_LIMITS } from '../git/limits.ts';
import type { App } from './app.ts';
import { answersHead, sendLengthOnly } from './heads.ts';
import { HTTP_LIMITS } from './limits.ts';
import { takenAtPace } from './pace.ts';

declare module 'fastify' {
  interface FastifyInstance {
    responses: Responses;
  }
}

const PIECE_BYTES = 64 * 1024;
/** of one UTF-16 unit as UTF-8 */
export const UNIT_BYTES_MAX = 3;

type BoundPayload = Readable | string | Buffer;

/**
 * The responses of one server. A large one takes memory until its client has read it, so these bytes are bounded, and a
 * client must take each response at a minimum rate.
 */
export class Responses {
  readonly #patienceMs: number;
  readonly #memory = new FairSlots({
    what: 'unread responses',
    unitsMax: HTTP_LIMITS.responseBytesInFlightMax,
    unitsPerCallerMax: HTTP_LIMITS.responseBytesPerCallerMax,
    unitsForSignedIn: HTTP_LIMITS.responseBytesInFlightMax / 2,
    // A waiting response would take as much memory as an unread one.
    queueMax: 0,
    queuePerCallerMax: 0,
    waitMs: 0,
  });

  constructor(options: { patienceMs: number }) {
    this.#patienceMs = options.patienceMs;
  }

  get bytesInFlight(): number {
    return this.#memory.running;
  }

  /**
   * Returns what to send instead of a payload that is large or a stream: a stream that ends the connection of a client
   * that is too slow.
   *
   * @throws ForgeError `busy`
   */
  async bounded(request: FastifyRequest, reply: FastifyReply, payload: BoundPayload): Promise<unknown> {
    if (payload instanceof Readable) return this.#paced(reply, payload);
    const bytes = Buffer.byteLength(payload);
    if (bytes <= HTTP_LIMITS.responseBytesUncounted || request.method === 'HEAD') return payload;
    await this.hold(reply, bytes);
    reply.header('content-length', bytes);
    return this.#paced(reply, Readable.from(piecesOf(Buffer.from(payload)), { objectMode: false }));
  }

  /**
   * Counts memory that a response takes until its client has read it.
   *
   * @throws ForgeError `busy`
   */
  async hold(reply: FastifyReply, bytes: number): Promise<void> {
    try {
      const leave = await this.#memory.enter({ units: bytes });
      if (reply.raw.closed) leave();
      else reply.raw.once('close', leave);
    } catch (error) {
      // They describe the response that is not sent.
      for (const name of ['etag', 'last-modified', 'content-length']) reply.removeHeader(name);
      reply.serializer(JSON.stringify);
      throw error;
    }
  }

  #paced(reply: FastifyReply, payload: Readable): Readable {
    const cut = () => cutOff(reply.raw);
    const pace = new Pace(
      { patienceMs: this.#patienceMs, bytesPerSecondMin: GIT_LIMITS.transferBytesPerSecondMin },
      cut,
    );
    // A failure before the headers gets a response of its own.
    payload.once('error', () => reply.raw.headersSent && cut());
    return Readable.from(takenAtPace(pace, payload), { objectMode: false });
  }
}

/**
 * Ends a response that cannot be completed, by a reset. To a client without chunks, the usual end of a connection would be
 * the end of the response.
 */
function cutOff(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
  response.destroy();
}

function* piecesOf(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += PIECE_BYTES) yield content.subarray(at, at + PIECE_BYTES);
}

/** Bounds the responses of all routes, except those of git, which have limits of their own. */
export function boundResponses(app: App, responses: Responses): void {
  app.decorate('responses', responses);
  app.addHook('onRoute', (route) => {
    const isOwnHead = answersHead(route);
    // The last hook of the route: it needs the final payload.
    const bound: onSendHookHandler = (request, reply, payload, done) => {
      if (request.method === 'HEAD' && !isOwnHead) {
        sendLengthOnly(reply, payload);
        return done(null, null);
      }
      if (request.routeOptions.config.wire === 'git' || !mayBeLarge(payload)) return done(null, payload);
      responses.bounded(request, reply, payload).then((bounded) => done(null, bounded), done);
    };
    route.onSend = [...[route.onSend ?? []].flat(), bound];
  });
}

/** Whether a payload is to be looked at: most responses are short texts, whose bytes need no counting. */
function mayBeLarge(payload: unknown): payload is BoundPayload {
  if (typeof payload === 'string')
    return payload.length * UNIT_BYTES_MAX > HTTP_LIMITS.responseBytesUncounted;
  return (
    payload instanceof Readable ||
    (Buffer.isBuffer(payload) && payload.length > HTTP_LIMITS.responseBytesUncounted)
  );
}

/** Starts each request after the response to the previous one on its connection. Node would start all that have arrived. */
export function answeringInTurn(begin: onRequestHookHandler): onRequestHookHandler {
  const latest = new WeakMap<Socket, ServerResponse>();
  return function inTurn(request, reply, done) {
    const { socket } = request.raw;
    const previous = latest.get(socket);
    latest.set(socket, reply.raw);
    // An open connection must not keep the response that it has sent, and all that this was made from.
    reply.raw.once('close', () => {
      if (latest.get(socket) === reply.raw) latest.delete(socket);
    });
    if (previous === undefined || previous.closed) return begin.call(this, request, reply, done);
    previous.once('close', () => {
      if (!socket.destroyed) begin.call(this, request, reply, done);
    });
  };
}
