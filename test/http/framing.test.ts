import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { dial } from '../support/http/raw.ts';
import { converse, exchange, statusesIn } from './exchange.ts';

// Runs once: no outcome depends on the database.

const SMUGGLED = 'GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n';

function post(headers: readonly string[], body: string): string {
  return [
    'POST /api/v1/user/repos HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    ...headers,
    '',
    body,
  ].join('\r\n');
}

test('G4: a request with an ambiguous length is rejected and ends the connection', async (t) => {
  const forge = await startForge(t);
  const ambiguous = [
    post(['Content-Length: 5', 'Transfer-Encoding: chunked'], `0\r\n\r\n${SMUGGLED}`),
    post(['Transfer-Encoding: chunked', 'Content-Length: 5'], `0\r\n\r\n${SMUGGLED}`),
    post(['Content-Length: 2', 'Content-Length: 3'], `{}${SMUGGLED}`),
    post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${SMUGGLED}`),
    post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${SMUGGLED}`),
    post(['Content-Length: -1'], SMUGGLED),
    post(['Content-Length: 1e1'], SMUGGLED),
    post(['Content-Length : 2'], `{}${SMUGGLED}`),
    post(['Transfer-Encoding: chunked'], `zz\r\n${SMUGGLED}`),
  ];
  for (const bytes of ambiguous) {
    const statuses = statusesIn(await converse(forge.url, bytes));
    assert.ok(!statuses.includes(200), `${JSON.stringify(bytes.slice(60, 150))}: ${statuses}`);
    assert.ok(statuses.length <= 1, 'at most one response');
  }
});

test('G4: unread bytes of a body are not read as the next request', async (t) => {
  const forge = await startForge(t);
  const declared = 1_000_000;

  const answer = await converse(forge.url, post([`Content-Length: ${declared}`], SMUGGLED.repeat(50)));

  assert.deepEqual(statusesIn(answer), [401]);
  assert.match(answer, /^connection: close$/im);
});

test('G4: after a rejected request whose body was read, the connection serves the next request', async (t) => {
  const forge = await startForge(t);
  const last = SMUGGLED.replace('Host: localhost', 'Host: localhost\r\nConnection: close');

  const answer = await converse(forge.url, post(['Content-Length: 12'], `{"name":"a"}${last}`));

  const statuses = statusesIn(answer);
  assert.equal(statuses[0], 401);
  // The server closes the connection if the body was still arriving when it sent the rejection.
  assert.ok(statuses.length === 1 ? /^connection: close$/im.test(answer) : statuses[1] === 200, answer);
});

test('G4: a body that is too large is rejected by its declared length, or as soon as it exceeds the limit', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const authorization = `Authorization: token ${ada.token}`;
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

  const byLength = await converse(forge.url, post([authorization, 'Content-Length: 2000000'], '{"name":"'));
  const byChunks = await converse(
    forge.url,
    post([authorization, 'Transfer-Encoding: chunked'], `9\r\n{"name":"\r\n${chunk.repeat(40)}`),
  );

  assert.deepEqual(statusesIn(byLength), [413]);
  assert.deepEqual(statusesIn(byChunks), [413]);
});

for (const [how, framing, body] of [
  ['whole', 'Content-Length: 20000000', 'x'.repeat(20_000_000)],
  [
    'in chunks',
    'Transfer-Encoding: chunked',
    `${`10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(300)}0\r\n\r\n`,
  ],
] as const) {
  test(`a client that sends all of a rejected body ${how} before it reads gets the rejection`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada');
    const socket = await dial(t, forge);
    let answer = '';

    socket.pause();
    socket.write(post([`Authorization: token ${ada.token}`, framing], ''));
    await new Promise<void>((resolve, reject) => {
      socket.once('close', () => reject(new Error(`the connection ended: ${answer}`)));
      socket.write(body, () => resolve());
    });
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.resume();
    await once(socket, 'end');

    assert.deepEqual(statusesIn(answer), [413]);
    assert.match(answer, /the request body is too large/);
  });
}

test('headers that are too large are rejected', async (t) => {
  const forge = await startForge(t);

  const answer = await exchange(forge.url, {
    path: '/api/v1/version',
    headers: { 'x-large': 'x'.repeat(40_000) },
  });

  assert.equal(answer.status, 431);
});
