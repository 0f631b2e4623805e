import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf } from '../api/access/probe.ts';
import { startForge, type TestForge } from '../support/forge/forge.ts';
import { dial } from '../support/http/raw.ts';
import { until } from '../support/until.ts';
import { converse, exchange, statusesIn } from './exchange.ts';

const FOREIGN = { host: 'evil.example' };
const SETTING = /--allowed-hosts \(QUIRE_ALLOWED_HOSTS\)/;

async function statusFor(forge: TestForge, host: string): Promise<number> {
  return (await exchange(forge.url, { path: '/api/v1/version', headers: { host } })).status;
}

test('F7: every route rejects a foreign host, before it looks at credentials', async (t) => {
  const forge = await startForge(t);
  const authorization = 'token nonsense';
  const routes = forge.forge.running.app.statedRoutes;
  for (const { method, url } of routes) {
    const path = pathOf(url, { ':owner': 'ada', ':username': 'ada' });
    const answer = await exchange(forge.url, { method, path, headers: { ...FOREIGN, authorization } });
    assert.equal(answer.status, 421, `${method} ${path}`);
    assert.ok(!answer.text.includes(FOREIGN.host), `${method} ${path}`);
  }
  assert.ok(routes.length > 300, `${routes.length} routes`);
});

test('F7: a foreign host is rejected in the form of each wire, with a message that names the setting', async (t) => {
  const forge = await startForge(t);
  const sent = (path: string, method = 'GET') => exchange(forge.url, { method, path, headers: FOREIGN });
  const json = async (path: string, method?: string) => JSON.parse((await sent(path, method)).text);

  const api = await json('/api/v1/user');
  assert.deepEqual(Object.keys(api), ['message', 'url']);
  assert.match(api.message, SETTING);
  assert.ok(api.message.includes(`open ${forge.url},`));
  for (const path of ['/api/v1/nothing', '/api/healthz', '/metrics', '/api/v1/repos/search'])
    assert.match((await json(path)).message, SETTING, path);
  for (const path of [
    '/ada/engine/info/refs?service=git-upload-pack',
    '/nothing/at/all/here',
    '/a%zz',
    '*',
  ]) {
    const { status, headers, text } = await sent(path, path === '*' ? 'OPTIONS' : 'GET');
    assert.deepEqual([status, headers['content-type']], [421, 'text/plain; charset=utf-8'], path);
    assert.match(text, SETTING, path);
    assert.equal(headers['www-authenticate'], undefined);
  }
  const lfs = await json('/ada/engine.git/info/lfs/objects/batch', 'POST');
  assert.deepEqual(Object.keys(lfs), ['message', 'request_id']);
  assert.match(lfs.message, SETTING);
  for (const prefix of ['/index.php/apps/notes/api', '/apps/notes/api']) {
    const { status, headers, text } = await sent(`${prefix}/v1/notes`);
    assert.deepEqual([status, headers['x-notes-api-versions']], [421, '0.2, 1.4']);
    assert.match(JSON.parse(text).message, SETTING);
    assert.equal((await sent(`${prefix}/v1/notes`, 'OPTIONS')).status, 421);
  }
  for (const version of ['v1.php', 'v2.php']) {
    const { status, text } = await sent(`/ocs/${version}/cloud/user?format=json`);
    const { meta } = JSON.parse(text).ocs;
    assert.deepEqual([status, meta.statuscode], [421, 421]);
    assert.match(meta.message, SETTING);
  }
  for (const path of ['/', '/ada', '/ada/engine', '/login/v2/flow/token', '/-/objects/x', '/api/swagger'])
    assert.match((await sent(path)).text, SETTING, path);
  const head = await sent('/api/v1/version', 'HEAD');
  assert.deepEqual([head.status, head.text], [421, '']);
});

test('F7: the host of the base URL, IP addresses, localhost and those of the setting are served', async (t) => {
  const forge = await startForge(t, {
    baseUrl: 'https://Forge.example:8443/below',
    settings: { allowedHosts: 'quire, BÜCHER.example., under_score' },
  });
  const served = [
    'forge.example',
    'FORGE.example:80',
    'forge.example.',
    'forge.example.:8443',
    'forge.example:',
    'localhost',
    'LocalHost:3000',
    'localhost.',
    '127.0.0.1:3000',
    '192.0.2.7',
    '[::1]',
    '[2001:db8::1]:3000',
    '[::ffff:192.0.2.7]',
    '[fe80::1%25eth0]:3000',
    'quire:3000',
    'xn--bcher-kva.example',
    'under_score',
  ];
  for (const host of served) assert.equal(await statusFor(forge, host), 200, host);
  const foreign = [
    'evil.example',
    'forge.example.evil.example',
    'evilforge.example',
    'sub.forge.example',
    'example',
    'forge.example..',
    'localhost.evil.example',
    'x.localhost',
    'localhost..',
    '0177.0.0.1',
    '2130706433',
    '127.1',
    '0x7f.0.0.1',
    '127.0.0.1.',
    '127.0.0.1.evil.example',
    '::1',
    '[::1',
    '[127.0.0.1]',
    '[localhost]',
    '[::1]evil.example',
    'evil.example@localhost',
    'localhost@evil.example',
    'localhost:evil',
    'localhost:80:80',
    'localhost:123456',
    'localhost/evil.example',
    'localhost, evil.example',
    'localhost evil.example',
    'bücher.example',
    'quire.evil.example',
  ];
  for (const host of foreign) assert.equal(await statusFor(forge, host), 421, host);
});

test('F7: headers of proxies never name the host, not even those of a trusted proxy', async (t) => {
  const forge = await startForge(t, { trustedProxies: ['127.0.0.0/8'] });
  const sent = async (headers: Record<string, string>) =>
    (await exchange(forge.url, { path: '/api/v1/version', headers })).status;
  const own = 'localhost';
  const evil = FOREIGN.host;
  assert.equal(
    await sent({ ...FOREIGN, 'x-forwarded-host': own, 'x-original-host': own, forwarded: `host=${own}` }),
    421,
  );
  assert.equal(await sent({ host: own, 'x-forwarded-host': evil, forwarded: `host=${evil}` }), 200);
});

test('F7: the host in a target counts, too, and a request names only one host', async (t) => {
  const forge = await startForge(t);
  const get = (target: string, lines: readonly string[], version = '1.1') =>
    converse(
      forge.url,
      [`GET ${target} HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n'),
    );
  const path = '/api/v1/version';
  const cases: readonly [status: number, target: string, hosts: readonly string[], version?: string][] = [
    [200, `http://localhost${path}`, ['Host: localhost']],
    [200, `HTTP://127.0.0.1:3000${path}`, ['Host: localhost']],
    [421, `http://evil.example${path}`, ['Host: localhost']],
    [421, `http://localhost${path}`, ['Host: evil.example']],
    [421, `http://localhost@evil.example${path}`, ['Host: localhost']],
    [421, `http://${path}`, ['Host: localhost']],
    [421, 'http://evil.example?x=/', ['Host: localhost']],
    [421, path, ['Host: evil.example', 'Host: localhost']],
    [400, path, ['Host: localhost', 'host: evil.example']],
    [400, path, ['Host: localhost', 'Host: localhost']],
    [421, path, ['Host:']],
    [400, path, []],
    // Health checks of some proxies send no host. Every browser does.
    [200, path, [], '1.0'],
    [421, path, ['Host: evil.example'], '1.0'],
    [421, `http://evil.example${path}`, [], '1.0'],
  ];
  for (const [status, target, hosts, version] of cases)
    assert.deepEqual(statusesIn(await get(target, hosts, version)), [status], `${target} ${hosts}`);
});

test('F7: no other way of HTTP reaches the server with a foreign host', async (t) => {
  const forge = await startForge(t);
  const upgrade = await converse(
    forge.url,
    'GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
  );
  assert.deepEqual(statusesIn(upgrade), [421]);
  const tunnel = await converse(forge.url, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n');
  assert.deepEqual(statusesIn(tunnel), []);
});

test('F7: the body of a request for a foreign host stays unread', async (t) => {
  const forge = await startForge(t);
  const socket = await dial(t, forge);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  socket.write('POST /api/v1/user/repos HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n');
  await until(() => answer.includes('\r\n\r\n'));
  assert.deepEqual(statusesIn(answer), [421]);
  assert.match(answer, /^connection: close$/im);
});
