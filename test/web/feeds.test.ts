import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WEB_LIMITS } from '../../src/web/limits.ts';
import { startForge } from '../support/forge/forge.ts';
import { git, temporaryFolder } from '../support/git/git.ts';
import { recorded } from '../tracker/activities/feeds.ts';
import { commitFile, ENGINE, startEngine } from '../tracker/pulls/pulls.ts';
import { childOf, childrenOf, readXml } from './xml.ts';

const FEEDS = ['/ada.rss', '/ada.atom', '/ada/engine.rss', '/ada/engine.atom'];

test('users, organizations and repositories have RSS and Atom feeds of what was done', async (t) => {
  const { forge, ada } = await startEngine(t);
  const { url } = forge;
  await ada.post(`${ENGINE}/issues`, { title: 'It <rattles> & hums' });
  const { body: comment } = await ada.post(`${ENGINE}/issues/1/comments`, { body: 'Loudly' });
  const sha = await commitFile(ada, 'a.txt', 'a');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post('/api/v1/orgs/guild/repos', { name: 'loom' });
  await recorded(forge);

  const rss = await forge.get('/ada/engine.rss');
  assert.equal(rss.headers.get('content-type'), 'application/rss+xml; charset=utf-8');
  const channel = childOf(readXml(rss.text), 'channel');
  assert.equal(childOf(channel, 'title').text, 'Feed of ada/engine');
  assert.equal(childOf(channel, 'link').text, `${url}/ada/engine`);
  assert.deepEqual(childOf(channel, 'atom:link').attributes, {
    href: `${url}/ada/engine.rss`,
    rel: 'self',
    type: 'application/rss+xml',
  });
  const items = childrenOf(channel, 'item');
  assert.deepEqual(
    items.map((item) => [
      childOf(item, 'title').text,
      childOf(item, 'link').text.replace(/[0-9a-f]{40}/, 'OLD'),
    ]),
    [
      ['ada pushed to main at ada/engine', `${url}/ada/engine/compare/OLD...${sha}`],
      ['ada commented on issue ada/engine#1', comment.html_url],
      ['ada opened issue ada/engine#1', `${url}/ada/engine/issues/1`],
      ['ada created ada/engine', `${url}/ada/engine`],
    ],
  );
  const [push, said] = items.map((item) => childOf(item, 'description').text);
  assert.equal(
    push,
    `<ul><li><a href="${url}/ada/engine/commit/${sha}">${sha.slice(0, 10)}</a> Write a.txt</li></ul>`,
  );
  assert.equal(said, '<p>It &lt;rattles&gt; &amp; hums</p><p>Loudly</p>');
  const ids = items.map((item) => childOf(item, 'guid').text);
  assert.equal(new Set(ids).size, items.length);

  const atom = await forge.get('/ada/engine.atom');
  assert.equal(atom.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
  const feed = readXml(atom.text);
  const entries = childrenOf(feed, 'entry');
  assert.deepEqual(
    entries.map((entry) => childOf(entry, 'id').text),
    ids,
  );
  assert.equal(childOf(feed, 'updated').text, childOf(entries[0] ?? feed, 'updated').text);
  assert.deepEqual(
    childrenOf(feed, 'link').map(({ attributes: { rel, href } }) => [rel, href]),
    [
      ['self', `${url}/ada/engine.atom`],
      ['alternate', `${url}/ada/engine`],
    ],
  );

  const titlesOf = async (path: string) =>
    childrenOf(childOf(readXml((await forge.get(path)).text), 'channel'), 'item').map(
      (item) => childOf(item, 'title').text,
    );
  assert.deepEqual((await titlesOf('/ada.rss')).slice(0, 2), [
    'ada created guild/loom',
    'ada pushed to main at ada/engine',
  ]);
  assert.deepEqual(await titlesOf('/guild.rss'), ['ada created guild/loom']);
});

test('feeds are valid XML, whatever the texts have', async (t) => {
  const { forge, ada } = await startEngine(t);
  await ada.post(`${ENGINE}/issues`, { title: ']]> <!-- "it\'s" &amp; \u{1f980}' });
  await ada.post(`${ENGINE}/issues/1/comments`, { body: 'bell \u0007 esc \u001b end \uffff \u{fffe} <b' });
  await commitFile(ada, 'a.txt', 'a', { branch: 'a&b', from: 'main' });
  await recorded(forge);
  for (const path of FEEDS) {
    const { status, text } = await forge.get(path);
    assert.equal(status, 200, path);
    readXml(text);
    assert.ok(!/[\u0007\u001b]/.test(text));
  }
});

test('published releases have a feed of their own, and drafts are in none', async (t) => {
  const { forge, ada } = await startEngine(t);
  const released = async (fields: object) => {
    const { status, body, text } = await ada.post(`${ENGINE}/releases`, fields);
    assert.equal(status, 201, text);
    return body;
  };
  const first = await released({ tag_name: 'v1', name: 'First', body: 'It <runs> & hums' });
  const second = await released({ tag_name: 'v2', prerelease: true });
  await released({ tag_name: 'v3', draft: true });
  const channel = childOf(readXml((await ada.get('/ada/engine/releases.rss')).text), 'channel');
  assert.equal(childOf(channel, 'title').text, 'Releases of ada/engine');
  assert.equal(childOf(channel, 'link').text, `${forge.url}/ada/engine/releases`);
  const part = (name: string) => childrenOf(channel, 'item').map((item) => childOf(item, name).text);
  assert.deepEqual(part('title'), ['v2', 'First']);
  assert.deepEqual(part('link'), [second.html_url, first.html_url]);
  assert.deepEqual(part('description'), ['<pre></pre>', '<pre>It &lt;runs&gt; &amp; hums</pre>']);
  assert.equal(childrenOf(readXml((await forge.get('/ada/engine/releases.atom')).text), 'entry').length, 2);
  await ada.patch(ENGINE, { has_releases: false });
  assert.equal((await ada.get('/ada/engine/releases.rss')).status, 404);
});

test('tags have a feed, the newest first, whose texts are escaped', async (t) => {
  const { forge, ada } = await startEngine(t);
  await commitFile(ada, 'a.txt', 'a');
  for (const [name, message] of [
    ['v1.9', 'It <runs> & hums'],
    ['v1.10', ''],
  ]) {
    const { status, text } = await ada.post(`${ENGINE}/tags`, { tag_name: name, message });
    assert.equal(status, 201, text);
  }
  const channel = childOf(readXml((await forge.get('/ada/engine/tags.rss')).text), 'channel');
  assert.equal(childOf(channel, 'title').text, 'Tags of ada/engine');
  const part = (name: string) => childrenOf(channel, 'item').map((item) => childOf(item, name).text);
  assert.deepEqual(part('title').toSorted(), ['v1.10', 'v1.9']);
  assert.ok(part('description').includes('<pre>It &lt;runs&gt; &amp; hums</pre>'));
  assert.ok(part('dc:creator').every((name) => name === 'ada'));
  for (const link of part('link')) assert.equal((await forge.get(new URL(link).pathname)).status, 200, link);
  assert.equal(childrenOf(readXml((await forge.get('/ada/engine/tags.atom')).text), 'entry').length, 2);
});

test('the tags with the highest names are in the feed of a repository with many, ordered by their dates', async (t) => {
  const { forge, ada } = await startEngine(t);
  const sha = await commitFile(ada, 'a.txt', 'a');
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', '--bare', ada.remote('ada/engine'), '.']);
  const count = WEB_LIMITS.feedTagsReadMax + 50;
  const lines = Array.from({ length: count }, (_, index) => `create refs/tags/v1.${index} ${sha}\n`);
  await git(folder, ['update-ref', '--stdin'], { input: lines.join('') });
  await git(folder, ['push', '-q', '--tags', ada.remote('ada/engine')]);
  const feed = readXml((await forge.get('/ada/engine/tags.atom')).text);
  const titles = childrenOf(feed, 'entry').map((entry) => childOf(entry, 'title').text);
  assert.equal(titles.length, WEB_LIMITS.feedEntriesMax);
  assert.deepEqual(titles.slice(0, 2), [`v1.${count - 1}`, `v1.${count - 2}`]);
});

test('branches have a feed of their commits, and files of the commits that change them', async (t) => {
  const { forge, ada } = await startEngine(t);
  const { url } = forge;
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'feature/x' });
  const file = async (path: string, message: string) => {
    const content = Buffer.from(message).toString('base64');
    const made = await ada.post(`${ENGINE}/contents/${path}`, { content, message, branch: 'feature/x' });
    assert.equal(made.status, 201, made.text);
    return made.body.commit.sha;
  };
  const sha = await file('docs/a b.md', 'Add <script>alert(1)</script>\n\nIt hums & runs');
  await file('b.txt', 'Add b');
  const rss = await forge.get('/ada/engine/rss/branch/feature/x');
  assert.equal(rss.headers.get('content-type'), 'application/rss+xml; charset=utf-8');
  const channel = childOf(readXml(rss.text), 'channel');
  assert.equal(childOf(channel, 'title').text, 'Commits of feature/x in ada/engine');
  assert.equal(childOf(channel, 'atom:link').attributes.href, `${url}/ada/engine/rss/branch/feature/x`);
  const titles = childrenOf(channel, 'item').map((item) => childOf(item, 'title').text);
  assert.deepEqual(titles.slice(0, 2), ['Add b', 'Add <script>alert(1)</script>']);
  const atom = await forge.get('/ada/engine/atom/branch/feature/x/docs/a%20b.md');
  const [entry, ...others] = childrenOf(readXml(atom.text), 'entry');
  assert.equal(others.length, 0);
  assert.ok(entry !== undefined);
  assert.equal(childOf(entry, 'id').text, `${url}/ada/engine/commit/${sha}`);
  assert.equal(
    childOf(entry, 'content').text,
    '<pre>Add &lt;script&gt;alert(1)&lt;/script&gt;\n\nIt hums &amp; runs</pre>',
  );
  const etag = atom.headers.get('etag') ?? '';
  const again = await forge.get('/ada/engine/atom/branch/feature/x/docs/a%20b.md', {
    headers: { 'if-none-match': etag },
  });
  assert.equal(again.status, 304);
  for (const path of ['missing', 'feature', 'main/missing.txt', 'main/%2e%2e/a', ''])
    assert.equal((await forge.get(`/ada/engine/rss/branch/${path}`)).status, 404, path);
});

test('the feed of what is hidden, or does not exist, is not found', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await ada.repository('secret', { private: true });
  await recorded(forge);
  for (const path of [
    '/ada/secret.rss',
    '/ada/secret.atom',
    '/ada/missing.rss',
    '/missing.atom',
    '/ada/secret/releases.rss',
    '/ada/secret/tags.rss',
    '/ada/secret/atom/branch/main',
  ])
    assert.equal((await ben.get(path)).status, 404, path);
  assert.equal((await ada.get('/ada/secret.rss')).status, 200);
  const titles = async (who: { get(path: string): Promise<{ text: string }> }) =>
    childrenOf(childOf(readXml((await who.get('/ada.rss')).text), 'channel'), 'item').length;
  assert.deepEqual([await titles(ben), await titles(ada)], [1, 2]);
  await ada.patch('/api/v1/user/settings', { hide_activity: true });
  assert.deepEqual([await titles(ben), await titles(ada)], [0, 2]);
});

test('a feed that has not changed is not sent again', async (t) => {
  const { forge, ada } = await startEngine(t);
  await recorded(forge);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) =>
    tx.updateTable('activities').set({ created_at: 1_700_000_000_000 }).execute(),
  );
  for (const path of FEEDS) {
    const first = await forge.get(path);
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    assert.equal(modified, 'Tue, 14 Nov 2023 22:13:20 GMT');
    assert.equal((await forge.get(path, { headers: { 'if-none-match': etag } })).status, 304);
    assert.equal((await forge.get(path, { headers: { 'if-modified-since': modified } })).status, 304);
    assert.equal((await forge.send('HEAD', path)).headers.get('etag'), etag);
  }
  const etag = (await forge.get('/ada.rss')).headers.get('etag') ?? '';
  await ada.post(`${ENGINE}/issues`, { title: 'A' });
  await recorded(forge);
  const again = await forge.get('/ada.rss', { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 200);
  assert.equal(again.headers.get('last-modified'), null, 'the present second may bring more');
});

test('pages of accounts and repositories link to their feeds, also if their names have dots', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada.b');
  await ada.repository('engine.js');
  for (const path of ['/ada.b', '/ada.b/engine.js']) {
    const { text } = await forge.get(path);
    const links = [...text.matchAll(/<link rel="alternate" type="([^"]*)" title="[^"]*" href="([^"]*)">/g)];
    assert.deepEqual(
      links.map(([, type, href]) => [type, href]),
      [
        ['application/rss+xml', `${path}.rss`],
        ['application/atom+xml', `${path}.atom`],
      ],
    );
    for (const [, , href = ''] of links) assert.equal((await forge.get(href)).status, 200, href);
  }
});
