import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { afterTest } from './after-test.ts';
import { type Answer, request } from './http.ts';

/** Starts a server that sends these bytes, as Latin-1, in answer to each request: each part in a packet of its own. */
async function serverOf(t: TestContext, parts: readonly string[], { host = '127.0.0.1', ends = false } = {}) {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('data', async (bytes) => {
      received.push(bytes.toString('latin1'));
      for (const part of parts) await new Promise((resolve) => socket.write(part, 'latin1', resolve));
      if (ends) socket.end();
    });
    socket.on('error', () => {});
  });
  server.listen(0, host);
  await once(server, 'listening');
  afterTest(t, async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://${host === '::1' ? '[::1]' : host}:${port}`;
  return { url, sockets, received };
}

const whole = ({ status, headers, text }: Answer) => [status, Object.fromEntries(headers), text];

const ANSWERS: Record<string, { method?: string; sent: string; ends?: boolean; expected: unknown[] }> = {
  'with a length': {
    sent: 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Text: \xe9 \r\n\r\nok\r\n',
    expected: [200, { 'content-length': '4', 'x-text': '\xe9' }, 'ok\r\n'],
  },
  'in chunks': {
    sent: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n0\r\n\r\nok\r\nA\r\n0123456789\r\n0\r\n\r\n',
    expected: [200, { 'transfer-encoding': 'chunked' }, '0\r\n\r\nok0123456789'],
  },
  'that ends with the connection': {
    sent: 'HTTP/1.1 200 OK\r\n\r\nok',
    ends: true,
    expected: [200, {}, 'ok'],
  },
  'after interim responses': {
    sent: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nx: y\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    expected: [200, { 'content-length': '0' }, ''],
  },
  'to HEAD': {
    method: 'HEAD',
    sent: 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n',
    expected: [200, { 'content-length': '4' }, ''],
  },
  'without a body': { sent: 'HTTP/1.1 204 No Content\r\n\r\n', expected: [204, {}, ''] },
};

for (const [name, { method = 'GET', sent, ends = false, expected }] of Object.entries(ANSWERS)) {
  test(`the client of the tests reads a response ${name}, whole or in single bytes`, async (t) => {
    for (const parts of [[sent], [...sent]]) {
      const { url, sockets } = await serverOf(t, parts, { ends });
      for (const _ of [1, 2]) assert.deepEqual(whole(await request(method, url)), expected);
      assert.equal(sockets.size, ends ? 2 : 1, 'connections');
    }
  });
}

test('the client of the tests rejects what is not one whole response', async (t) => {
  for (const sent of [
    'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nok\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 204 No Content\r\n\r\nok',
    'SSH-2.0\r\n\r\n',
    '',
  ]) {
    const { url } = await serverOf(t, [sent], { ends: true });
    await assert.rejects(request('GET', url), JSON.stringify(sent));
  }
  const { url } = await serverOf(t, []);
  await assert.rejects(request('GET', url, { headers: { 'x-name': 'a\r\nb' } }), {
    code: 'ERR_INVALID_CHAR',
  });
});

test('the client of the tests opens a new connection after a response that announces the end', async (t) => {
  const sent = ['HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 0\r\n\r\n'];
  const { url, sockets } = await serverOf(t, sent);
  for (const _ of [1, 2]) assert.equal((await request('GET', url)).status, 200);
  assert.equal(sockets.size, 2);
});

test('the client of the tests keeps repeated headers apart and reaches IPv6 addresses', async (t) => {
  const sent = ['HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\ncontent-length: 0\r\n\r\n'];
  const { url, received } = await serverOf(t, sent, { host: '::1' });
  const { headers } = await request('POST', `${url}/a b?c#d`, { json: { text: 'é' } });
  assert.deepEqual(headers.getSetCookie(), ['a=1', 'b=2']);
  const [head = '', body] = received.join('').split('\r\n\r\n');
  assert.deepEqual(head.split('\r\n').slice(0, 2), ['POST /a%20b?c HTTP/1.1', `host: ${new URL(url).host}`]);
  assert.match(head, /\r\ncontent-length: 13(?:\r\n|$)/);
  assert.equal(Buffer.from(body ?? '', 'latin1').toString(), '{"text":"é"}');
});
