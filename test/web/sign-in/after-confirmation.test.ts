import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

test('a browser that has confirmed who uses it finds a page at the path of each form that needs it', async (t) => {
  const forge = await startForge(t);
  const reader = new PageReader(forge);
  await reader.signIn(forge.root);
  const { statedRoutes } = forge.forge.running.app;
  const forms = statedRoutes.filter(
    ({ method, url, action }) => method === 'POST' && action.needsProof === true && !url.startsWith('/api/'),
  );
  assert.ok(forms.length > 10, `${forms.length} forms`);
  for (const { url } of forms) {
    assert.ok(
      statedRoutes.some((other) => other.method === 'GET' && other.url === url),
      `no page at ${url}`,
    );
    // The page at a path with parameters depends on what they name.
    if (!url.includes(':')) assert.notEqual((await reader.get(url)).status, 404, url);
  }
});
