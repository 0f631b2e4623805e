import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { SignedRequest } from '../../../src/storage/model.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { collectLog } from '../../support/log-lines.ts';
import { download } from '../archives/archives.ts';

const CONTENT = randomBytes(100_000);

async function stage(t: TestContext, options: Parameters<typeof startForge>[1] = {}) {
  const forge = await startForge(t, options);
  const { objects } = forge.forge.running.engines;
  await objects.put('some/object', Readable.from([CONTENT]));
  const sign = (request: Partial<SignedRequest> = {}, key = 'some/object') =>
    objects.signedUrl(key, { method: 'GET', lifetimeMs: 60_000, fileName: 'data.bin', ...request });
  return { forge, sign };
}

/** Sends a request without credentials to an address of the forge. */
function ask(forge: TestForge, url: string, options: Parameters<typeof download>[2] = {}) {
  assert.ok(url.startsWith(`${forge.url}/`), url);
  return download(forge, url.slice(forge.url.length), options);
}

test('a signed address gives the object without credentials, whole and in ranges', async (t) => {
  const { forge, sign } = await stage(t, { logLevel: 'error' });
  const faults = collectLog(forge.forge.running.app);
  const url = await sign();

  const whole = await ask(forge, url);
  const part = await ask(forge, url, { headers: { range: 'bytes=10-19' } });
  const again = await ask(forge, url, {
    headers: { range: 'bytes=10-19', 'if-range': `${whole.headers.etag}` },
  });
  const other = await ask(forge, url, { headers: { range: 'bytes=10-19', 'if-range': '"another"' } });
  const beyond = await ask(forge, url, { headers: { range: `bytes=${CONTENT.length}-` } });
  const known = await ask(forge, url, { headers: { 'if-none-match': `${whole.headers.etag}` } });

  assert.equal(whole.status, 200);
  assert.ok(whole.bytes.equals(CONTENT));
  assert.equal(whole.headers['content-length'], `${CONTENT.length}`);
  assert.equal(part.status, 206);
  assert.equal(part.headers['content-range'], `bytes 10-19/${CONTENT.length}`);
  assert.ok(part.bytes.equals(CONTENT.subarray(10, 20)));
  assert.deepEqual([again.status, other.status, beyond.status, known.status], [206, 200, 416, 304]);
  assert.equal((await forge.get('/api/v1/version')).status, 200);
  assert.deepEqual(faults, []);
});

test('a signed address of HEAD describes the object', async (t) => {
  const { forge, sign } = await stage(t);

  const { status, headers, bytes } = await ask(forge, await sign({ method: 'HEAD' }), { method: 'HEAD' });

  assert.equal(status, 200);
  assert.equal(headers['content-length'], `${CONTENT.length}`);
  assert.equal(bytes.length, 0);
});

test('a signed address that was changed in any part, or has expired, gives 403', async (t) => {
  const { forge, sign } = await stage(t);
  const { objects } = forge.forge.running.engines;
  await objects.put('some/other', Readable.from([CONTENT]));
  const url = await sign();
  const changed = (name: string, value: string) => {
    const address = new URL(url);
    address.searchParams.set(name, value);
    return address.href;
  };
  const longer = `${Date.now() + 3_600_000}`;
  const signature = new URL(url).searchParams.get('signature') ?? '';

  const forged = {
    expires: changed('expires', longer),
    'no expiry': changed('expires', 'Infinity'),
    disposition: changed('disposition', 'inline'),
    type: changed('type', 'text/html'),
    'signature of another length': changed('signature', signature.slice(1)),
    'first character of the signature': changed(
      'signature',
      `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    ),
    'no signature': changed('signature', ''),
    'no query': url.replace(/\?.*/, ''),
    key: url.replace('some/object', 'some/other'),
    'missing key': url.replace('some/object', 'some/nothing'),
    'key outside': url.replace('some/object', '..%2F..%2Fquire.db'),
    expired: await sign({ lifetimeMs: -1 }),
    'another method': await sign({ method: 'HEAD' }),
  };
  for (const [what, address] of Object.entries(forged))
    assert.equal((await ask(forge, address)).status, 403, what);
  assert.equal((await ask(forge, url, { method: 'HEAD' })).status, 403);
  assert.equal((await ask(forge, url)).status, 200);
  assert.equal((await ask(forge, await sign({}, 'some/nothing'))).status, 404);
});

test('F1: a browser stores what a signed address gives, and runs nothing of it', async (t) => {
  const { forge, sign } = await stage(t);
  const types = {
    'text/html': 'application/octet-stream',
    'image/svg+xml': 'application/octet-stream',
    'application/pdf': 'application/octet-stream',
    'text/javascript': 'application/octet-stream',
    'image/png': 'image/png',
    'application/zip': 'application/zip',
  };
  for (const [contentType, sent] of Object.entries(types)) {
    const { headers } = await ask(forge, await sign({ contentType, fileName: 'a"\r\nx: y ü.html' }));
    assert.equal(headers['content-type'], sent);
    assert.match(
      headers['content-disposition'] ?? '',
      /^attachment; filename="[^\r\n]*"; filename\*=UTF-8''[\w%.-]+$/,
    );
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox");
  }
});

test('a signed address stays valid over a restart, and its secret is readable by the server only', async (t) => {
  const first = await stage(t);
  const { dataFolder } = first.forge.forge;
  const url = new URL(await first.sign());
  const secret = await stat(join(dataFolder, 'secret.key'));
  assert.equal(secret.mode & 0o777, 0o600);
  await first.forge.forge.running.stop();

  const second = await startForge(t, { dataFolder });

  assert.equal((await download(second, `${url.pathname}${url.search}`)).status, 200);
});
