import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { head } from '../support/http/raw.ts';

const RESETS = 20;
const REQUESTS = [
  head(['GET /api/v1/version HTTP/1.1']),
  head(['POST /api/v1/user/repos HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 2']).concat(
    '{}',
  ),
  head(['PUT /ada/engine.git/info/lfs/objects/x/9 HTTP/1.1', 'Content-Length: 9']).concat('x'),
  head(['GET /api/v1/version HTTP/1.1', 'X-Forwarded-For: 192.0.2.1']).repeat(2),
];

for (const trustedProxies of ['', '127.0.0.1']) {
  const proxies = trustedProxies === '' ? 'without trusted proxies' : 'behind a trusted proxy';
  test(`H7: a client that resets its connection right after a request ends no other work (${proxies})`, async (t) => {
    const forge = await startForge(t, { settings: { trustedProxies } });
    const { hostname, port } = new URL(forge.url);
    for (let reset = 0; reset < RESETS; reset += 1) {
      for (const request of REQUESTS) {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        socket.write(request);
        socket.resetAndDestroy();
        await once(socket, 'close');
      }
    }

    assert.equal((await forge.get('/api/v1/version')).status, 200);
  });
}
