import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { addressesOf } from '../../src/http/app.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { createServer, openWire } from '../../src/http/server.ts';
import { afterTest } from '../support/after-test.ts';
import { until } from '../support/until.ts';
import { statusesIn } from './exchange.ts';

// Runs once: no outcome depends on the database.

/** A server with one route that takes a body, and a connection to it. */
async function startWithPatience(t: TestContext, bodyPatienceMs: number) {
  const addresses = addressesOf('http://forge.example');
  const metrics = createMetrics();
  const app = await createServer({
    addresses,
    logLevel: 'silent',
    trustedProxies: [],
    allowedHosts: [],
    metrics,
    bodyPatienceMs,
  });
  afterTest(t, () => app.close());
  await openWire(app, 'gitea', { addresses, prefix: '' }, (wire) => {
    wire.post('/', async () => ({}));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  assert.ok(address !== null && typeof address === 'object');
  const accepted = once(app.server, 'connection');
  const socket = connect(address.port, '127.0.0.1');
  const [atServer] = (await accepted) as [Socket];
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  afterTest(t, () => socket.destroy());
  return { app, socket, atServer, received: () => received };
}

function head(contentLength: number): string {
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${contentLength}\r\n\r\n`;
}

test('H7: a body that stops arriving ends with 408 and frees its room', async (t) => {
  const { app, socket, received } = await startWithPatience(t, 1);
  const closed = once(socket, 'close');

  socket.write(`${head(500_000)}{"a":"`);
  await closed;

  assert.deepEqual(statusesIn(received()), [408]);
  assert.match(received(), /^connection: close$/im);
  assert.equal(app.bodies.bytesInFlight, 0);
});

test('a body that arrives in pieces is read to its end', async (t) => {
  const { socket, atServer, received } = await startWithPatience(t, HTTP_LIMITS.bodyPatienceMs);
  const piece = ' '.repeat(100_000);
  socket.write(head(3 * piece.length + 2));
  for (let count = 0; count < 3; count += 1) {
    const before = atServer.bytesRead;
    socket.write(piece);
    await until(() => atServer.bytesRead >= before + piece.length);
  }
  socket.write('{}');

  await until(() => received() !== '');
  assert.deepEqual(statusesIn(received()), [200]);
});

test('H7: headers must arrive in time', async (t) => {
  const { app } = await startWithPatience(t, HTTP_LIMITS.bodyPatienceMs);

  assert.equal(app.server.headersTimeout, HTTP_LIMITS.headersMs);
});
