import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';

test('redirects and links to pages have the path of the base URL, which a proxy removes', async (t) => {
  const forge = await startForge(t, { baseUrl: 'https://code.example/forge' });
  const ada = await forge.account('ada');
  await ada.repository('first');
  await ada.repository('second');
  await ada.patch('/api/v1/repos/ada/first', { name: 'renamed' });

  const refs = '/info/refs?service=git-upload-pack';
  const fetched = await forge.get(`/ada/first.git${refs}`);
  assert.deepEqual([fetched.status, fetched.headers.get('location')], [301, `/forge/ada/renamed.git${refs}`]);
  const read = await forge.get('/api/v1/repos/ada/first');
  assert.deepEqual([read.status, read.headers.get('location')], [301, '/forge/api/v1/repos/ada/renamed']);
  const list = await forge.get('/api/v1/repos/search?limit=1');
  const next = 'https://code.example/forge/api/v1/repos/search?limit=1&page=2';
  assert.ok(list.headers.get('link')?.startsWith(`<${next}>; rel="next"`), list.headers.get('link') ?? '');
});
