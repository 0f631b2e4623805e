import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge, type TestForge } from '../support/forge/forge.ts';
import type { Credentials } from '../support/http/http.ts';

const PROXIED = { 'x-forwarded-for': '203.0.113.7' };

async function statusOf(forge: TestForge, headers: Record<string, string> = {}, as?: Credentials) {
  const { status, text } = await forge.send(
    'GET',
    '/metrics',
    as === undefined ? { headers } : { headers, as },
  );
  assert.equal(text.includes('quire_http_requests_total'), status === 200);
  return status;
}

test('by default, clients on this machine read the metrics, and clients behind a proxy on it do not', async (t) => {
  for (const trustedProxies of [[], ['127.0.0.1']]) {
    const forge = await startForge(t, { trustedProxies });

    assert.equal(await statusOf(forge), 200);
    assert.equal(await statusOf(forge, PROXIED), 401);
    assert.equal(await statusOf(forge, { 'x-forwarded-for': '127.0.0.1' }), 401);
    for (const name of ['forwarded', 'via', 'x-real-ip'])
      assert.equal(await statusOf(forge, { [name]: 'x' }), 401);
  }
});

test('site administrators read the metrics from anywhere, with a token that has the scope', async (t) => {
  const forge = await startForge(t, { settings: { metricsAccess: 'token' } });
  const ada = await forge.account('ada');
  const { root } = forge;

  assert.equal(await statusOf(forge), 401);
  assert.equal(await statusOf(forge, PROXIED, { token: await root.tokenFor(['read:admin']) }), 200);
  assert.equal(await statusOf(forge, {}, { token: await root.tokenFor(['read:repository']) }), 403);
  assert.equal(await statusOf(forge, {}, { token: ada.token }), 403);
  assert.equal(await statusOf(forge, {}, { token: 'wrong' }), 401);
});

test('a setting lets everyone read the metrics', async (t) => {
  const forge = await startForge(t, { settings: { metricsAccess: 'everyone' } });

  assert.equal(await statusOf(forge, PROXIED), 200);
});
