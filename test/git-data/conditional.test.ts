import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../support/forge.ts';
import { watchProcesses } from '../support/started-processes.ts';

const ROOT = '/api/v1/repos/ada/loom';

test('blobs, trees and commits have ETags, and a caller who has them gets 304 only while access lasts', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const { sha: blob, last_commit_sha: commit } = (await forge.get(`${ROOT}/contents/README.md`)).body;
  const paths = [
    `blobs/${blob}`,
    `trees/${commit}`,
    'trees/main?recursive=true',
    `commits/${commit}`,
    'commits/main',
  ];
  const tags = new Map<string, string>();
  for (const path of paths) {
    const tag = (await forge.get(`${ROOT}/git/${path}`)).headers.get('etag') ?? '';
    assert.match(tag, /^"[0-9a-f]{40}"$/, path);
    tags.set(path, tag);
  }
  const again = (path: string) =>
    forge.get(`${ROOT}/git/${path}`, { headers: { 'if-none-match': tags.get(path) ?? '' } });

  const started = watchProcesses(t);
  for (const path of paths) {
    const { status, text, headers } = await again(path);
    assert.deepEqual([status, text, headers.get('etag')], [304, '', tags.get(path)], path);
  }
  assert.deepEqual(started(), []);

  await ada.post(`${ROOT}/contents/new.txt`, { content: '' });
  assert.deepEqual((await again(`commits/${commit}`)).status, 304);
  for (const path of ['commits/main', 'trees/main?recursive=true'])
    assert.equal((await again(path)).status, 200, path);
  await ada.patch(ROOT, { name: 'web' });
  const renamed = await forge.get(`/api/v1/repos/ada/web/git/blobs/${blob}`, {
    headers: { 'if-none-match': tags.get(`blobs/${blob}`) ?? '' },
  });
  assert.equal(renamed.status, 200);
  await ada.patch('/api/v1/repos/ada/web', { name: 'loom' });
  await ada.patch(ROOT, { private: true });
  for (const path of paths) assert.equal((await again(path)).status, 404, path);
});

test('the ETag of a commit depends on what of it is asked for', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const queries = ['', '?stat=false', '?files=false', '?verification=false'];

  const tags = await Promise.all(
    queries.map(async (query) => (await forge.get(`${ROOT}/git/commits/main${query}`)).headers.get('etag')),
  );

  assert.equal(new Set(tags).size, queries.length);
});
