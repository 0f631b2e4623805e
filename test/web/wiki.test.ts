import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newPage } from '../code/wiki-pages/wiki.ts';
import { startForge } from '../support/forge/forge.ts';
import { commitAll, git, workingCopy } from '../support/git/git.ts';

test('a page of a wiki is shown as HTML, with the sidebar and the footer', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  assert.match((await forge.get('/ada/engine/wiki')).text, /no page yet/);
  await newPage(ada, 'Home', '# Hi <b>\n\n[next](Next-Page) ![picture](picture.png) <script>x</script>\n');
  await newPage(ada, 'Next Page', 'second');
  await newPage(ada, '_Sidebar', 'beside *all*');
  await newPage(ada, '_Footer', 'below all');

  const home = await forge.get('/ada/engine/wiki');

  assert.equal(home.status, 200);
  assert.match(home.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  for (const part of [
    `href="${forge.url}/ada/engine/wiki/Next-Page"`,
    `src="${forge.url}/ada/engine/wiki/raw/picture.png"`,
    '<aside aria-label="Wiki">',
    '<em>all</em>',
    'below all',
  ])
    assert.ok(home.text.includes(part), part);
  assert.ok(!home.text.includes('<script>'));
  assert.match((await forge.get('/ada/engine/wiki/Next-Page')).text, /<h1>Next Page<\/h1>.*second/s);
  assert.equal((await forge.get('/ada/engine/wiki/Missing')).status, 404);
  assert.match((await forge.get('/ada/engine')).text, /href="\/ada\/engine\/wiki"/);
});

test('all pages of a wiki are listed by their titles', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Home');
  await newPage(ada, '<i>2-3</i>');
  for (const path of ['/ada/engine/wiki?action=_pages', '/ada/engine/wiki/_pages']) {
    const { text } = await forge.get(path);
    assert.match(text, /href="\/ada\/engine\/wiki\/%3Ci%3E2-3%3C%2Fi%3E\.-">&lt;i&gt;2-3&lt;\/i&gt;</);
  }
});

test('files of a wiki are downloaded as they are, and a browser runs nothing of them', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  assert.equal((await forge.get('/ada/engine/wiki/raw/Home.md')).status, 404);
  const work = await workingCopy(t);
  await writeFile(join(work, 'a b.html'), '<script>alert(1)</script>');
  await writeFile(join(work, 'large.md'), 'x'.repeat(600 * 1024));
  await commitAll(work, 'begin');
  await git(work, ['push', '-q', ada.remote('ada/engine.wiki'), 'main']);
  const raw = await forge.get('/ada/engine/wiki/raw/a%20b.html');
  assert.deepEqual(
    [raw.status, raw.text, raw.headers.get('content-type')],
    [200, '<script>alert(1)</script>', 'text/plain; charset=utf-8'],
  );
  assert.match(raw.headers.get('content-security-policy') ?? '', /sandbox/);
  assert.equal((await forge.send('HEAD', '/ada/engine/wiki/raw/a%20b.html')).status, 200);
  const large = await forge.get('/ada/engine/wiki/large');
  assert.match(large.text, /href="\/ada\/engine\/wiki\/raw\/large\.md"/);
  for (const path of ['raw/missing', 'raw/../Home.md', 'raw', 'raw/'])
    assert.equal((await forge.get(`/ada/engine/wiki/${path}`)).status, 404, path);
});

test('the address of a clone of a wiki leads to its page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const { status, headers } = await ada.get('/ada/engine.wiki.git');
  assert.deepEqual([status, headers.get('location')], [303, `${forge.url}/ada/engine/wiki`]);
  assert.equal((await forge.get('/ada/engine.wiki.git')).status, 404);
  assert.equal((await forge.get('/ada/engine/wiki')).status, 404);
});

test('the page of an external wiki links to it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Home', 'built in');
  const url = 'https://wiki.example.org/engine';
  await ada.patch('/api/v1/repos/ada/engine', { has_wiki: true, external_wiki: { external_wiki_url: url } });
  const { status, text } = await forge.get('/ada/engine/wiki');
  assert.deepEqual([status, text.includes(`href="${url}"`)], [200, true]);
  assert.equal((await forge.get('/ada/engine/wiki/Home')).status, 404);
  await ada.patch('/api/v1/repos/ada/engine', { has_wiki: false });
  assert.equal((await forge.get('/ada/engine/wiki')).status, 404);
});

test('the go command finds a package whose path looks like a page of the wiki', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (const path of ['wiki', 'wiki/parser', 'wiki/raw/file']) {
    const { status, text } = await forge.get(`/ada/engine/${path}?go-get=1`);
    assert.deepEqual([status, text.includes('go-import')], [200, true], path);
  }
});
