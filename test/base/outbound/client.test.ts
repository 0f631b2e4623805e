import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { outboundAddressOf } from '../../../src/base/outbound/parse-url.ts';
import { startTlsProxy } from '../../support/http/tls-proxy.ts';
import { clientWith, send, startSource, textOf } from './servers.ts';

// Runs once: no outcome depends on the database.

const LOOPBACK = { allow: ['127.0.0.0/8'] };

/** Addresses that are not of the internet, or embed one that is not. */
const DENIED = [
  ...['127.0.0.1', '127.255.255.254', '10.1.2.3', '172.16.0.1', '192.168.0.1', '169.254.169.254'],
  ...['100.64.0.1', '0.0.0.0', '0.1.2.3', '224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1'],
  ...['::', '::1', 'fe80::1', 'fec0::1', 'fc00::1', 'fd12::1', 'ff02::1', '2001:db8::1'],
  ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::8.8.8.8', '::ffff:0:127.0.0.1'],
  ...['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2002:808:808::1'],
  ...['2001::1', '100::1', 'fe80::1%lo'],
];

/** Spellings of 127.0.0.1 that other parsers take for another host. */
const SPELLINGS = [
  ...['http://0177.0.0.1', 'http://0x7f.1', 'http://2130706433', 'http://127.1', 'http://0x7f000001'],
  ...['http://127.0.0.1.', 'http://[::ffff:7f00:1]', 'http://[::7f00:1]', 'http://%31%32%37.0.0.1'],
  ...['http://①②⑦.⓪.⓪.①', 'http://user@127.0.0.1', 'http://example.org@127.0.0.1'],
];

test('E1: an address that is not public is denied, in a URL and as one of the answers of a name', async () => {
  for (const address of DENIED) {
    const resolve = async () => ['1.1.1.1', address];
    await assert.rejects(
      send(clientWith({}, resolve), 'http://source.test/'),
      { failure: 'denied' },
      address,
    );
    if (address.includes('%')) continue;
    const host = address.includes(':') ? `[${address}]` : address;
    await assert.rejects(send(clientWith(), `http://${host}/`), { failure: 'denied' }, address);
  }
});

test('E1: odd spellings of an address are the address', async () => {
  for (const url of SPELLINGS) await assert.rejects(send(clientWith(), url), { failure: 'denied' }, url);
});

test('E1: the connection goes to the address that was checked', async (t) => {
  const port = await startSource(t, (request, response) => response.end(`for ${request.headers.host}`));
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  let asked = 0;
  const client = clientWith({ allow: ['127.0.0.1'] }, async () => answers[asked++] ?? []);
  const url = `http://source.test:${port}/`;
  assert.equal(await textOf(await send(client, url)), `for source.test:${port}`);
  assert.equal(asked, 1);
  await assert.rejects(send(client, url), { failure: 'denied' });
  await assert.rejects(send(client, url), { failure: 'unknown-host' });
});

test('the next address of a host is tried if one does not accept a connection', async (t) => {
  const port = await startSource(t, (_request, response) => response.end('here'));
  const client = clientWith(LOOPBACK, async () => ['127.0.0.3', '127.0.0.1']);
  assert.equal(await textOf(await send(client, `http://source.test:${port}/`)), 'here');
});

test('E1: a redirect is followed only after the same check of its target', async (t) => {
  const targets: Record<string, string> = {
    '/private': 'http://10.0.0.1/',
    '/metadata': 'http://169.254.169.254/latest/',
    '/odd': 'http://0x7f.2/',
    '/name': 'http://inside.test/',
    '/file': 'file:///etc/passwd',
    '/empty': '',
    '/again': '/again',
  };
  const port = await startSource(t, ({ url = '' }, response) =>
    response.writeHead(302, { location: targets[url] ?? '/' }).end(),
  );
  const addresses: Record<string, string> = { 'source.test': '127.0.0.1', 'inside.test': '192.168.1.1' };
  const client = clientWith({ allow: ['127.0.0.1'] }, async (host) => [addresses[host] ?? '']);
  const failureAt = async (path: string) => {
    const error = await send(client, `http://source.test:${port}${path}`).then(
      () => undefined,
      (failed: unknown) => failed,
    );
    return (error as { failure?: string } | undefined)?.failure;
  };
  for (const path of ['/private', '/metadata', '/odd', '/name'])
    assert.equal(await failureAt(path), 'denied');
  for (const path of ['/file', '/empty', '/again']) assert.equal(await failureAt(path), 'redirect');
});

test('a redirect to another origin gets no credentials, and one to the same origin keeps them', async (t) => {
  const other = await startSource(t, ({ headers }, response) =>
    response.end(headers.authorization ?? 'none'),
  );
  const port = await startSource(t, ({ url, headers }, response) => {
    if (url === '/end') response.end(headers.authorization ?? 'none');
    else
      response
        .writeHead(307, { location: url === '/same' ? '/end' : `http://u:p@127.0.0.1:${other}/` })
        .end();
  });
  const options = { authorization: 'Basic c2VjcmV0' };
  const client = clientWith(LOOPBACK);
  assert.equal(await textOf(await send(client, `http://127.0.0.1:${port}/same`, options)), 'Basic c2VjcmV0');
  assert.equal(await textOf(await send(client, `http://127.0.0.1:${port}/other`, options)), 'none');
});

test('a body is sent again after 307, and a POST does not follow 302', async (t) => {
  const port = await startSource(t, (request, response) => {
    if (request.url === '/end') request.pipe(response);
    else response.writeHead(request.url === '/302' ? 302 : 307, { location: '/end' }).end();
  });
  const client = clientWith(LOOPBACK);
  const options = { method: 'POST', body: Buffer.from('sent') } as const;
  assert.equal(await textOf(await send(client, `http://127.0.0.1:${port}/307`, options)), 'sent');
  const kept = await send(client, `http://127.0.0.1:${port}/302`, options);
  assert.equal(kept.status, 302);
  kept.end();
});

test('a response ends at its limits of bytes and of time', async (t) => {
  const port = await startSource(t, ({ url }, response) => {
    if (url === '/hangs') return;
    if (url === '/large') response.end(Buffer.alloc(1001));
    if (url === '/stops') response.writeHead(200, { 'content-length': '10' }).write('start');
    if (url === '/lies')
      response.writeHead(200, { 'content-length': '10' }).write('start', () => response.destroy());
  });
  const client = clientWith(LOOPBACK);
  const at = (path: string) => `http://127.0.0.1:${port}${path}`;
  await assert.rejects(send(client, at('/hangs'), { deadlineMs: 100 }), { failure: 'timeout' });
  const large = await send(client, at('/large'), { bytesMax: 1000 });
  await assert.rejects(textOf(large), { failure: 'too-large' });
  assert.equal((await textOf(await send(client, at('/large'), { bytesMax: 1001 }))).length, 1001);
  const read = async (path: string, deadlineMs: number) =>
    textOf(await send(client, at(path), { deadlineMs }));
  await assert.rejects(read('/stops', 500), { failure: 'timeout' });
  await assert.rejects(read('/lies', 30_000), { failure: 'cut-off' });
  const leaving = AbortSignal.abort(new Error('the caller left'));
  await assert.rejects(send(client, at('/hangs'), { signal: leaving }), /the caller left/);
});

test('the lists of the operator decide by host, by network and by port', async (t) => {
  const port = await startSource(t, (_request, response) => response.end('here'));
  const resolve = async () => ['127.0.0.1'];
  const url = `http://git.inside.test:${port}/`;
  const reaches = async (options: Parameters<typeof clientWith>[0]) => {
    try {
      return (await textOf(await send(clientWith(options, resolve), url))) === 'here';
    } catch (error) {
      assert.equal((error as { failure?: string }).failure, 'denied');
      return false;
    }
  };
  assert.equal(await reaches({}), false);
  assert.equal(await reaches({ allow: ['*.inside.test'] }), true);
  assert.equal(await reaches({ allow: ['GIT.inside.test'] }), true);
  assert.equal(await reaches({ allow: ['inside.test'] }), false);
  assert.equal(await reaches({ allow: ['127.0.0.0/8'], block: ['127.0.0.1'] }), false);
  assert.equal(await reaches({ allow: ['127.0.0.0/8'], block: ['git.inside.test'] }), false);
  assert.equal(await reaches({ allow: ['127.0.0.0/8'], ports: ['80', '443'] }), false);
  assert.equal(await reaches({ allow: ['127.0.0.0/8'], ports: [`${port}`] }), true);
});

test('a certificate is checked for the name of the host, not for its address', async (t) => {
  const port = await startSource(t, (_request, response) => response.end('here'));
  const proxy = await startTlsProxy(t, `http://127.0.0.1:${port}`);
  const at = (host: string) => `https://${host}:${new URL(`https://${proxy.host}`).port}/`;
  const client = clientWith({ allow: ['127.0.0.0/8', '::1'] }, async () => ['127.0.0.1']);
  await assert.rejects(send(client, at('localhost')), /certificate/);
  const before = getCACertificates();
  t.after(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, await readFile(proxy.certificate, 'utf8')]);
  assert.equal(await textOf(await send(client, at('localhost'))), 'here');
  await assert.rejects(send(client, at('other.test')), /certificate/);
});

test('E2: only http and https addresses are accepted, and credentials are taken out of them', () => {
  const bad = [
    ...[
      'file:///etc',
      '/etc/passwd',
      'ext::sh -c x',
      'EXT::x',
      'ssh://h/x',
      'git@h:x',
      'git://h/x',
      'ftp://h/x',
    ],
    ...[
      'http:/h',
      'http:h',
      'https://',
      'http://h/\nx',
      'http://h/a b',
      'http://h\\x',
      '-http://h',
      '',
      'http://h:99999',
    ],
    ...['ht\ntp://h/', 'http://%zz@h/', `http://h/${'x'.repeat(2048)}`],
  ];
  for (const text of bad) {
    assert.throws(
      () => outboundAddressOf(text),
      (error) => error instanceof ForgeError && error.failure.kind === 'invalid',
      text,
    );
  }
  const { url, username, password } = outboundAddressOf('HTTPS://a%40b:p%3Aw@Example.org/x.git#y');
  assert.deepEqual([url.href, username, password], ['https://example.org/x.git', 'a@b', 'p:w']);
});

/** Returns a body that is made while it is sent. */
function streamed(pieces: AsyncIterable<Uint8Array>, bytesMax = 1 << 30) {
  return { read: () => pieces, bytesMax };
}

async function* zeros(count: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < count; at += 1) yield Buffer.alloc(1 << 16);
}

test('a streamed body arrives whole, whether its size is known or not, and is not sent to a redirect', async (t) => {
  const port = await startSource(t, async (request, response) => {
    if (request.url === '/moved') response.writeHead(307, { location: '/' }).end();
    else {
      // The answer begins before the body has arrived.
      response.write(`${request.headers['content-length'] ?? request.headers['transfer-encoding']} `);
      let bytes = 0;
      for await (const chunk of request) bytes += chunk.length;
      response.end(`${bytes}`);
    }
  });
  const client = clientWith(LOOPBACK);
  const url = `http://127.0.0.1:${port}`;
  const put = (path: string, sizeBytes?: number) =>
    send(client, `${url}${path}`, {
      method: 'PUT',
      body: { ...streamed(zeros(100)), ...(sizeBytes === undefined ? {} : { sizeBytes }) },
    });
  assert.equal(await textOf(await put('/')), 'chunked 6553600');
  assert.equal(await textOf(await put('/', 100 << 16)), '6553600 6553600');
  await assert.rejects(put('/moved'), { failure: 'redirect' });
});

test('a streamed body ends early if it is too large, fails, or the server rejects or leaves', async (t) => {
  const port = await startSource(t, async (request, response) => {
    if (request.url === '/rejects') response.writeHead(413).end('too large');
    else if (request.url === '/leaves') request.once('data', () => request.socket.destroy());
    else request.resume().once('end', () => response.end('read'));
  });
  const client = clientWith(LOOPBACK);
  const ended = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield* zeros(1);
    } finally {
      ended.resolve();
    }
  }
  async function* failing(): AsyncGenerator<Buffer> {
    yield* zeros(3);
    throw new Error('the pack failed');
  }
  const post = (path: string, body: ReturnType<typeof streamed>) =>
    send(client, `http://127.0.0.1:${port}${path}`, { method: 'POST', body });
  await assert.rejects(post('/', streamed(endless(), 1 << 20)), { failure: 'too-large' });
  await assert.rejects(post('/', streamed(failing())), /the pack failed/);
  await assert.rejects(post('/leaves', streamed(endless())), { failure: 'cut-off' });
  const rejected = await post('/rejects', streamed(endless()));
  assert.deepEqual([rejected.status, await textOf(rejected)], [413, 'too large']);
  await ended.promise;
});

test('a server that does not read a streamed body is left at the end of the deadline', async (t) => {
  const port = await startSource(t, (request) => {
    request.pause();
  });
  const sending = send(clientWith(LOOPBACK), `http://127.0.0.1:${port}/`, {
    method: 'POST',
    body: streamed(zeros(10_000)),
    deadlineMs: 500,
  });
  await assert.rejects(sending, { failure: 'timeout' });
});
