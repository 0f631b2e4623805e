import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Mock, type TestContext, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { GIT_LIMITS } from '../../src/git/limits.ts';
import { type App, addressesOf } from '../../src/http/app.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { createServer, openWire } from '../../src/http/server.ts';
import { afterTest } from '../support/after-test.ts';
import { until } from '../support/until.ts';
import { statusesIn } from './exchange.ts';

// Runs once: no outcome depends on the database.

const MIB = 1024 * 1024;
const LARGE_MIB = 10;
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

interface Stage {
  readonly app: App;
  readonly port: number;
}

async function start(
  t: TestContext,
  server: { handle: (request: FastifyRequest) => Promise<unknown>; patienceMs?: number },
): Promise<Stage> {
  const addresses = addressesOf('http://forge.example');
  const { handle, patienceMs: responsePatienceMs = GIT_LIMITS.transferPatienceMs } = server;
  const app = await createServer({
    addresses,
    logLevel: 'silent',
    trustedProxies: [],
    allowedHosts: [],
    metrics: createMetrics(),
    responsePatienceMs,
  });
  afterTest(t, () => app.close());
  await openWire(app, 'gitea', { addresses, prefix: '' }, (wire) => {
    wire.get('/', handle);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { app, port: address.port };
}

/** Opens a connection that reads nothing yet, and sends this. */
function send(t: TestContext, { port }: Stage, text: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  afterTest(t, () => socket.destroy());
  socket.write(text);
  return socket;
}

function received(socket: Socket): () => string {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  return () => text;
}

const large = async () => ({ text: 'x'.repeat(LARGE_MIB * MIB) });

test('H7: requests on one connection are answered one after the other', async (t) => {
  let started = 0;
  const first = Promise.withResolvers<void>();
  const at = await start(t, {
    handle: async () => {
      started += 1;
      const number = started;
      await first.promise;
      return { number };
    },
  });
  const text = received(send(t, at, GET.repeat(5)));
  const other = received(send(t, at, GET));
  await until(() => started === 2);

  first.resolve();
  await until(() => statusesIn(text()).length === 5 && statusesIn(other()).length === 1);

  assert.equal(started, 6);
});

test('a connection that ends starts none of the requests that still wait on it', async (t) => {
  let started = 0;
  const first = Promise.withResolvers<void>();
  const at = await start(t, {
    handle: async () => {
      started += 1;
      await first.promise;
      return {};
    },
  });
  const ended = once(at.app.server, 'connection').then(async ([socket]) => once(socket as Socket, 'close'));
  const socket = send(t, at, GET.repeat(5));
  await until(() => started === 1);
  socket.destroy();
  await ended;
  first.resolve();

  const text = received(send(t, at, GET));
  await until(() => statusesIn(text()).length === 1);
  assert.equal(started, 2);
});

test('a stream that ends early because its client has left is no fault of the server', async (t) => {
  const begun = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<FastifyRequest>();
  const at = await start(t, {
    async handle(request) {
      begun.resolve();
      t.mock.method(request.log, 'error');
      await once(request.caller.left, 'abort');
      // The server handles the failure before the next turn.
      setImmediate(() => failed.resolve(request));
      throw Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    },
  });
  const socket = send(t, at, GET);
  await begun.promise;
  socket.destroy();

  const { log } = await failed.promise;
  assert.equal((log.error as unknown as Mock<() => void>).mock.callCount(), 0);
});

test('H3: large responses that no one reads take a bounded amount of memory', async (t) => {
  const at = await start(t, { handle: large });
  const room = Math.floor(HTTP_LIMITS.responseBytesPerCallerMax / (LARGE_MIB * MIB));
  const sockets = Array.from({ length: room }, () => send(t, at, GET));
  await until(() => at.app.responses.bytesInFlight > room * LARGE_MIB * MIB);

  const next = received(send(t, at, GET));
  await until(() => statusesIn(next()).length === 1);
  assert.deepEqual(statusesIn(next()), [503]);
  assert.match(next(), /^retry-after: \d+\r$/im);

  for (const socket of sockets) socket.destroy();
  await until(() => at.app.responses.bytesInFlight === 0);
});

test('a large response arrives whole, with its length', async (t) => {
  const at = await start(t, { handle: large });
  const text = received(send(t, at, GET));
  await until(() => text().endsWith('"}\n'));
  const [head = '', body = ''] = text().split('\r\n\r\n');
  assert.match(head, new RegExp(`^content-length: ${body.length}\r$`, 'im'));
  assert.deepEqual(JSON.parse(body), await large());
});

test('H7: a client that does not take a large response loses its connection', async (t) => {
  const at = await start(t, { handle: large, patienceMs: 1 });
  const ended = once(at.app.server, 'connection').then(async ([socket]) => once(socket as Socket, 'close'));
  send(t, at, GET);
  await ended;
  await until(() => at.app.responses.bytesInFlight === 0);
});
