import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attach, ENGINE, pathOf, release, startReleases } from './release-world.ts';

test('the page of releases shows texts, assets and archives, and a release has a page of its own', async (t) => {
  const { forge, ada, cid } = await startReleases(t);
  const first = await release(ada, 'tools/v1', {
    name: 'First <b>',
    body: '*Fast* <script>alert(1)</script>',
  });
  const asset = await attach(ada, first, 'a <b>.txt');
  await release(ada, 'v2', { prerelease: true, hide_archive_links: true });
  await release(ada, 'v3', { draft: true, name: 'Planned' });
  const page = '/ada/engine/releases';

  const { status, text } = await forge.get(page);

  assert.equal(status, 200);
  assert.ok(text.includes('First &lt;b&gt;') && text.includes('<em>Fast</em>'), text);
  assert.ok(!text.includes('<script'), text);
  assert.ok(text.includes(`<a href="${pathOf(asset.browser_download_url)}">a &lt;b&gt;.txt</a>`), text);
  for (const url of [first.zipball_url, first.tarball_url])
    assert.ok(text.includes(`href="${pathOf(url)}"`), url);
  assert.match(text, />Prerelease</);
  assert.ok(!text.includes('v2.zip') && !text.includes('Planned'), text);
  assert.ok((await ada.get(page)).text.includes('Planned'));

  const own = await forge.get(pathOf(first.html_url));
  assert.ok(own.status === 200 && own.text.includes('a &lt;b&gt;.txt'), own.text);
  const latest = await forge.get(`${page}/latest`);
  assert.deepEqual([latest.status, latest.headers.get('location')], [303, first.html_url]);
  for (const missing of ['tag/v3', 'tag/v9', 'x'])
    assert.equal((await forge.get(`${page}/${missing}`)).status, 404);
  await ada.patch(ENGINE, { private: true });
  for (const path of [page, `${page}/latest`, pathOf(first.html_url)])
    assert.deepEqual([(await forge.get(path)).status, (await cid.get(path)).status < 400], [404, true], path);
});
