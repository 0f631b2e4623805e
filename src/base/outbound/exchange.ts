import type * as http from 'node:http';
import { isIP, type Socket } from 'node:net';
import { Pace } from '../core/fairness/pace.ts';
import { hostOf } from './addresses.ts';
import { OUTBOUND_LIMITS } from './limits.ts';
import {
  isStreamed,
  OutboundError,
  type OutboundRequest,
  type OutboundResponse,
  type StreamedBody,
} from './model.ts';

/**
 * Sends one request to an address of its host, on a connection of its own. The certificate of the server is checked for
 * the name of the host.
 *
 * @throws OutboundError `unreachable` if no connection came about; `timeout`, `cut-off`; the reason of the signal
 */
export async function exchange(request: OutboundRequest, address: string): Promise<OutboundResponse> {
  const { signal } = request;
  signal?.throwIfAborted();
  const sent = start(request, address);
  const watch = new Watch(sent, request);
  try {
    const answer = answerOf(sent);
    const isSent = sendBody(sent, request.body, watch);
    // A server may begin to answer before it has read the whole body.
    const response = await Promise.race([answer, isSent.then(() => answer)]);
    return {
      status: response.statusCode ?? 0,
      url: request.url,
      header: (name) => textOf(response.headers[name]),
      body: bodyOf(response, { bytesMax: request.bytesMax, watch }),
      end: () => {
        sent.destroy();
        watch.end();
      },
    };
  } catch (error) {
    sent.destroy();
    watch.end();
    throw watch.reason ?? failureOf(error, watch);
  }
}

function start({ method, url, headers, authorization, body }: OutboundRequest, address: string) {
  const name = hostOf(url);
  // An import of `node:http` loads all that Node has for fetch, too, which takes 30 ms of each start.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return request({
    host: address,
    port: url.port === '' ? undefined : Number(url.port),
    // Not the address: the certificate is for the name.
    ...(isIP(name) === 0 ? { servername: name } : {}),
    method,
    path: `${url.pathname}${url.search}`,
    agent: false,
    setHost: false,
    maxHeaderSize: OUTBOUND_LIMITS.outboundHeaderBytesMax,
    headers: {
      host: url.host,
      'accept-encoding': 'identity',
      connection: 'close',
      ...headers,
      ...(authorization === undefined ? {} : { authorization }),
      ...lengthOf(body),
    },
  });
}

function lengthOf(body: OutboundRequest['body']): { readonly 'content-length'?: string } {
  if (body === undefined) return {};
  const bytes = isStreamed(body) ? body.sizeBytes : body.length;
  return bytes === undefined ? {} : { 'content-length': `${bytes}` };
}

/**
 * Sends the body, until the server rejects the request or the connection ends.
 *
 * @throws OutboundError `too-large`; the errors of a body, which end the request
 */
async function sendBody(
  sent: http.ClientRequest,
  body: OutboundRequest['body'],
  watch: Watch,
): Promise<void> {
  if (!isStreamed(body)) {
    sent.end(body);
    return;
  }
  sent.flushHeaders();
  try {
    if (!(await watch.connected)) return;
    for await (const chunk of watch.pacedUpload(body)) {
      if (watch.isOver) return;
      if (!sent.write(chunk)) await drained(sent);
      if (watch.isOver) return;
    }
    sent.end();
  } catch (error) {
    watch.stop(error);
    throw error;
  }
}

/** Waits until the connection takes more or has ended, or the server answers. */
function drained(sent: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'response'];
    const done = () => {
      for (const event of events) sent.off(event, done);
      resolve();
    };
    for (const event of events) sent.on(event, done);
    if (sent.destroyed) done();
  });
}

function answerOf(sent: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    // Stays, because an error without a listener would end the process.
    sent.on('error', reject);
  });
}

/** Ends a request that takes too long, and remembers why. */
class Watch {
  readonly #sent: http.ClientRequest;
  readonly #signal: AbortSignal | undefined;
  readonly #whole: NodeJS.Timeout;
  readonly #connecting: NodeJS.Timeout;
  readonly #idleMs: number;
  readonly #onAbort = () => this.stop(this.#signal?.reason);
  /** resolves to whether a connection came about */
  readonly connected: Promise<boolean>;
  reason: unknown;
  isConnected = false;
  #isRejected = false;

  constructor(
    sent: http.ClientRequest,
    { deadlineMs, signal, idleMs = OUTBOUND_LIMITS.outboundIdleMs, body }: OutboundRequest,
  ) {
    this.#sent = sent;
    this.#signal = signal;
    this.#idleMs = idleMs;
    this.#whole = setTimeout(() => this.stop(late('the server took too long')), deadlineMs);
    const connectMs = Math.min(OUTBOUND_LIMITS.outboundConnectMs, deadlineMs);
    const unreached = () =>
      new OutboundError('unreachable', 'the server does not accept a connection in time');
    this.#connecting = setTimeout(() => this.stop(unreached()), connectMs);
    const { promise: connected, resolve } = Promise.withResolvers<boolean>();
    this.connected = connected;
    sent.once('socket', (socket: Socket) => {
      const event = 'encrypted' in socket ? 'secureConnect' : 'connect';
      socket.once(event, () => {
        this.isConnected = true;
        clearTimeout(this.#connecting);
        resolve(true);
      });
    });
    sent.once('close', () => resolve(false));
    sent.once('response', ({ statusCode = 0 }: http.IncomingMessage) => {
      this.#isRejected = statusCode >= 300;
    });
    sent.on('timeout', () => this.stop(late('the server stopped sending')));
    // While a body is made, the connection may have nothing to move.
    if (!isStreamed(body)) sent.setTimeout(idleMs);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Whether the rest of a body is not wanted any more. */
  get isOver(): boolean {
    return this.#sent.destroyed || this.#isRejected;
  }

  /** Yields a body, and ends it if it arrives too slowly. */
  async *paced(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const limits = {
      patienceMs: OUTBOUND_LIMITS.outboundIdleMs,
      bytesPerSecondMin: OUTBOUND_LIMITS.outboundBytesPerSecondMin,
    };
    const pace = new Pace(limits, () => this.stop(late('the server sends too slowly')));
    let endWait = pace.wait();
    try {
      for await (const chunk of body) {
        endWait();
        pace.moved(chunk.length);
        yield chunk;
        endWait = pace.wait();
      }
    } finally {
      endWait();
    }
  }

  /** Yields a body that is sent, and ends the request if the server takes it too slowly, or if there is too much of it. */
  async *pacedUpload({ read, bytesMax }: StreamedBody): AsyncGenerator<Uint8Array> {
    const limits = {
      patienceMs: OUTBOUND_LIMITS.outboundIdleMs,
      bytesPerSecondMin: OUTBOUND_LIMITS.outboundBytesPerSecondMin,
    };
    const pace = new Pace(limits, () => this.stop(late('the server reads too slowly')));
    let bytes = 0;
    for await (const chunk of read()) {
      bytes += chunk.length;
      if (bytes > bytesMax)
        throw new OutboundError('too-large', `there are more than ${bytesMax} bytes to send`);
      const endWait = pace.wait();
      try {
        yield chunk;
      } finally {
        endWait();
      }
      pace.moved(chunk.length);
    }
    this.#sent.setTimeout(this.#idleMs);
  }

  /** Ends the request for a reason. */
  stop(reason: unknown): void {
    this.reason ??= reason;
    this.#sent.destroy();
  }

  end(): void {
    clearTimeout(this.#whole);
    clearTimeout(this.#connecting);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

async function* bodyOf(
  response: http.IncomingMessage,
  { bytesMax, watch }: { bytesMax: number; watch: Watch },
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of watch.paced(response as AsyncIterable<Buffer>)) {
      bytes += chunk.length;
      if (bytes > bytesMax)
        throw new OutboundError('too-large', `the server sends more than ${bytesMax} bytes`);
      yield chunk;
    }
    // A response whose connection was ended here may look complete.
    if (watch.reason !== undefined) throw watch.reason;
  } catch (error) {
    if (error instanceof OutboundError || watch.reason !== undefined) throw watch.reason ?? error;
    throw new OutboundError('cut-off', 'the connection ended before the response did', { cause: error });
  } finally {
    response.destroy();
    watch.end();
  }
}

function failureOf(error: unknown, { isConnected }: Watch): OutboundError {
  const { code = '' } = error as NodeJS.ErrnoException;
  // Codes of certificates, such as ERR_TLS_CERT_ALTNAME_INVALID or SELF_SIGNED_CERT_IN_CHAIN.
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return new OutboundError('unreachable', 'the certificate of the server is not valid', { cause: error });
  return isConnected
    ? new OutboundError('cut-off', 'the server ended the connection', { cause: error })
    : new OutboundError('unreachable', 'the server does not accept a connection', { cause: error });
}

function late(message: string): OutboundError {
  return new OutboundError('timeout', message);
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
