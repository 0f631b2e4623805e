import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClockChange, ClockRangeError, type ClockState } from './clock.ts';
import { readClockChange } from './clock-change.ts';
import { THROWAWAY_LIMITS } from './limits.ts';

const PREFIX = '/-/test/';
const ROUTES = 'POST /-/test/reset, GET /-/test/clock and POST /-/test/clock';

/** What the test routes do. */
export interface Controls {
  reset(): Promise<void>;
  changeClock(change: ClockChange): Promise<ClockState>;
  clockState(): ClockState;
  /** whether a request may use the routes */
  serves(request: IncomingMessage): boolean;
}

interface Reply {
  readonly status: number;
  readonly body?: object;
  readonly allow?: string;
}

/**
 * Answers a request for a test route. They exist on throwaway servers only: no other server has this code in front of it.
 *
 * @returns false for any other request
 */
export function control(controls: Controls, request: IncomingMessage, response: ServerResponse): boolean {
  if (!request.url?.startsWith(PREFIX)) return false;
  replyTo(controls, request)
    .catch(
      (error: unknown): Reply => ({
        status: error instanceof ClockRangeError ? 400 : 500,
        body: { message: messageOf(error) },
      }),
    )
    .then((reply) => send(response, reply));
  return true;
}

async function replyTo(controls: Controls, request: IncomingMessage): Promise<Reply> {
  if (!controls.serves(request))
    return {
      status: 421,
      body: { message: 'use 127.0.0.1 or localhost as the host, and no page of another site' },
    };
  const [path = ''] = (request.url ?? '').slice(PREFIX.length).split('?');
  if (path === 'reset') {
    if (request.method !== 'POST') return wrongMethod('POST');
    await readBody(request);
    await controls.reset();
    return { status: 204 };
  }
  if (path === 'clock') return clockReply(controls, request);
  return { status: 404, body: { message: `no such test route: there are ${ROUTES}` } };
}

async function clockReply(controls: Controls, request: IncomingMessage): Promise<Reply> {
  if (request.method === 'GET' || request.method === 'HEAD')
    return { status: 200, body: controls.clockState() };
  if (request.method !== 'POST') return wrongMethod('GET, HEAD, POST');
  const body = await readBody(request);
  if (body === undefined) return { status: 413, body: { message: 'the body is too large' } };
  const change = readClockChange(parse(body));
  if ('problem' in change) return { status: 400, body: { message: change.problem } };
  return { status: 200, body: await controls.changeClock(change) };
}

function wrongMethod(allow: string): Reply {
  return { status: 405, allow, body: { message: `use ${allow}` } };
}

/** @returns undefined if it is too large */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= THROWAWAY_LIMITS.controlBodyBytesMax) parts.push(part);
  }
  return bytes > THROWAWAY_LIMITS.controlBodyBytesMax ? undefined : Buffer.concat(parts).toString();
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { status, body, allow }: Reply): void {
  const text = body === undefined ? '' : `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    ...(text === '' ? {} : { 'content-type': 'application/json;charset=utf-8' }),
    ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(text) }),
    ...(allow === undefined ? {} : { allow }),
    'cache-control': 'no-store',
  });
  response.end(text);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
