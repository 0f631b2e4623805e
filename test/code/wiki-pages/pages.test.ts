import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { limit } from '../../hosting/quota/groups.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { base64, newPage, textOf, wikiUrl } from './wiki.ts';

test('a page is created with its commit, and read by its address', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const before = await ada.repository('engine');
  assert.deepEqual(
    [before.has_wiki, before.has_wiki_contents, before.wiki_clone_url],
    [true, false, `${forge.url}/ada/engine.wiki.git`],
  );

  const made = await ada.post(wikiUrl('new'), {
    title: ' 2000-01-02 meeting ',
    content_base64: base64('# Notes\n'),
    message: 'Write it down',
  });

  assert.equal(made.status, 201, made.text);
  const { last_commit: last, html_url: url, ...page } = made.body;
  assert.deepEqual(page, {
    title: '2000-01-02 meeting',
    sub_url: '2000-01-02+meeting.-',
    content_base64: base64('# Notes\n'),
    commit_count: 1,
    sidebar: '',
    footer: '',
  });
  assert.match(url, /\/ada\/engine\/wiki\/2000-01-02\+meeting\.-$/);
  assert.deepEqual(
    [last.message, last.author.name, last.author.email],
    ['Write it down\n', 'ada', last.commiter.email],
  );
  const read = await ada.get(wikiUrl(`page/${made.body.sub_url}`));
  assert.deepEqual(read.body, made.body);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.has_wiki_contents, true);
});

test('the record of a page has the sidebar and the footer', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, '_Sidebar', 'beside');
  await newPage(ada, '_Footer', 'below');
  const { sidebar, footer } = await newPage(ada, 'Home', 'welcome');
  assert.deepEqual([textOf(sidebar), textOf(footer)], ['beside', 'below']);
});

test('one edit changes the title and the content in one commit', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Draft', 'one');
  await newPage(ada, 'Other', 'kept');

  const edited = await ada.patch(wikiUrl('page/Draft'), { title: 'Final', content_base64: base64('two') });

  assert.equal(edited.status, 200, edited.text);
  const { title, sub_url, content_base64, last_commit, commit_count } = edited.body;
  assert.deepEqual([title, sub_url, textOf(content_base64), commit_count], ['Final', 'Final', 'two', 1]);
  assert.equal(last_commit.message, 'Update "Final"\n');
  assert.equal((await ada.get(wikiUrl('page/Draft'))).status, 404);
  assert.equal(textOf((await ada.get(wikiUrl('page/Other'))).body.content_base64), 'kept');
});

test('a part that an edit leaves out stays as it is', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Draft', 'one');

  const renamed = await ada.patch(wikiUrl('page/Draft'), { title: 'Final' });
  assert.deepEqual([renamed.status, textOf(renamed.body.content_base64)], [200, 'one']);
  const written = await ada.patch(wikiUrl('page/Final'), { title: '', content_base64: base64('two') });
  assert.deepEqual([written.body.title, written.body.commit_count], ['Final', 2]);
  const emptied = await ada.patch(wikiUrl('page/Final'), { content_base64: '' });
  assert.deepEqual([emptied.body.content_base64, emptied.body.commit_count], ['', 3]);
  const same = await ada.patch(wikiUrl('page/Final'), {});
  assert.deepEqual([same.status, same.body.commit_count], [200, 3]);
});

test('a title that differs only in letter case can be given to the same page alone', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Draft', 'one');
  assert.equal((await ada.post(wikiUrl('new'), { title: 'DRAFT' })).status, 400);
  const renamed = await ada.patch(wikiUrl('page/Draft'), { title: 'DRAFT' });
  assert.deepEqual([renamed.status, renamed.body.title], [200, 'DRAFT']);
});

test('a deleted page is gone, and its history stays', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Draft', 'one');
  assert.equal((await ada.delete(wikiUrl('page/Draft'))).status, 204);
  assert.equal((await ada.get(wikiUrl('page/Draft'))).status, 404);
  assert.equal((await ada.delete(wikiUrl('page/Draft'))).status, 404);
  assert.equal((await newPage(ada, 'Draft', 'again')).commit_count, 3);
});

test('pages are listed with their last commits, by page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  assert.deepEqual((await ada.get(wikiUrl('pages'))).body, []);
  for (const title of ['C', 'A', 'B']) await newPage(ada, title, title);
  await ada.patch(wikiUrl('page/A'), { content_base64: base64('again'), message: 'second' });

  const listed = await ada.get(wikiUrl('pages?limit=2'));

  assert.equal(listed.headers.get('x-total-count'), '3');
  // biome-ignore lint/suspicious/noExplicitAny: a record of the wire
  const shown = (body: any[]) => body.map(({ title, last_commit }) => [title, last_commit.message]);
  assert.deepEqual(shown(listed.body), [
    ['A', 'second\n'],
    ['B', 'Add "B"\n'],
  ]);
  assert.deepEqual(shown((await ada.get(wikiUrl('pages?limit=2&page=2'))).body), [['C', 'Add "C"\n']]);
});

test('revisions of a page come newest first, 50 on a page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'A', '0');
  await newPage(ada, 'B', '0');
  for (let version = 1; version <= 51; version += 1)
    await ada.patch(wikiUrl('page/A'), { content_base64: base64(`${version}`), message: `v${version}` });

  const first = await ada.get(wikiUrl('revisions/A'));
  const second = await ada.get(wikiUrl('revisions/A?page=2'));

  assert.deepEqual([first.body.count, first.body.commits.length], [52, 50]);
  assert.equal(first.body.commits[0].message, 'v51\n');
  const messages = second.body.commits.map(({ message }: { message: string }) => message);
  assert.deepEqual(messages, ['v1\n', 'Add "A"\n']);
  assert.equal((await ada.get(wikiUrl('revisions/missing'))).status, 404);
});

test('pages that are created at the same time are all there', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const titles = Array.from({ length: 12 }, (_, index) => `Page ${index}`);
  await Promise.all(titles.map((title) => newPage(ada, title, title)));
  const { body } = await ada.get(wikiUrl('pages?limit=50'));
  const listed = body.map(({ title }: { title: string }) => title);
  assert.deepEqual(listed.sort(), titles.sort());
  const { reader } = forge.forge.running.engines.database;
  assert.deepEqual(await reader.selectFrom('repository_intents').select('id').execute(), []);
});

test('edits of one page at the same time are all in its history', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'A', 'begin');
  const edits = Array.from({ length: 8 }, (_, index) => ({
    content_base64: base64(`${index}`),
    message: `e${index}`,
  }));
  const statuses = await Promise.all(
    edits.map(async (edit) => (await ada.patch(wikiUrl('page/A'), edit)).status),
  );
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal((await ada.get(wikiUrl('revisions/A'))).body.count, 9);
});

const BAD_TITLES = {
  'no title': '',
  'a title of blanks': '  ',
  'a reserved title': '_pages',
  'another reserved title': 'raw',
  'a title that a browser removes from addresses': '..',
  'a title of 300 characters': 'x'.repeat(300),
  'a title whose file name would be too long': 'ü'.repeat(60),
  'a title with a line break': 'two\nlines',
  'a title with NUL': 'a\0b',
  'a title that turns the direction of text': 'gpj.\u202eexe',
};

for (const [what, title] of Object.entries(BAD_TITLES))
  test(`${what} is rejected with 400, and makes no wiki`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada');
    await ada.repository('engine');
    const rejected = await ada.post(wikiUrl('new'), { title, content_base64: base64('x') });
    assert.equal(rejected.status, 400, rejected.text);
    assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.has_wiki_contents, false);
  });

test('a title that leads elsewhere in other places is a page like any other', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (const title of ['../x', '.git', '.gitattributes', 'a/b/../c', '%2e%2e', 'C:\\x', '-', '-rf *']) {
    const made = await newPage(ada, title, title);
    assert.equal(made.title, title);
    const read = await ada.get(wikiUrl(`page/${made.sub_url}`));
    assert.deepEqual([read.status, textOf(read.body?.content_base64 ?? '')], [200, title], read.text);
  }
});

test('content that is too large or no base64 is rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  assert.equal((await ada.post(wikiUrl('new'), { title: 'A', content_base64: '!' })).status, 400);
  const large = { title: 'A', content_base64: base64('x'.repeat(1024 * 1024 + 1)) };
  assert.equal((await ada.post(wikiUrl('new'), large)).status, 413);
  const largest = await ada.post(wikiUrl('new'), {
    title: 'A',
    content_base64: base64('x'.repeat(1024 * 1024)),
  });
  assert.equal(largest.status, 201);
  assert.equal(
    (await ada.post(wikiUrl('new'), { title: 'B', content_base64: 'A'.repeat(3_000_000) })).status,
    413,
  );
});

test('a page counts for the quota of the owner, and one without room leaves no wiki', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await ada.repository('mill');
  await newPage(ada, 'Home');
  await limit(forge.root, 'ada', { bytes: 0, subjects: ['size:assets:wiki'] });
  assert.ok((await ada.get('/api/v1/user/quota')).body.used.size.assets.wiki > 0);

  const refused = await ada.post(wikiUrl('new'), { title: 'More', content_base64: '' });
  assert.equal(refused.status, 413, refused.text);
  assert.match(refused.body.message, /^the quota of the owner for size:assets:wiki /);
  assert.equal((await ada.patch(wikiUrl('page/Home'), { content_base64: 'SGk=' })).status, 413);
  assert.deepEqual((await ada.get(wikiUrl('pages'))).body.length, 1);
  const first = { title: 'Home', content_base64: '' };
  assert.equal((await ada.post(wikiUrl('new', 'ada/mill'), first)).status, 413);
  assert.equal((await ada.get('/api/v1/repos/ada/mill')).body.has_wiki_contents, false);
  const file = { content: '', message: 'Other bytes count apart' };
  assert.equal((await ada.post('/api/v1/repos/ada/engine/contents/a.txt', file)).status, 201);
});

test('pages with names that no request could give can be deleted, and a root of too many bytes is for git alone', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Home', 'Hi');
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine.wiki'), '.']);
  await writeFile(join(folder, 'a%00b.md'), 'odd');
  await git(folder, ['add', '-A']);
  await git(folder, ['commit', '-q', '-m', 'Odd']);
  await git(folder, ['push', '-q', 'origin', 'HEAD']);
  const odd = (await ada.get(wikiUrl('pages'))).body.find(({ title }: { title: string }) => title !== 'Home');
  assert.equal((await ada.delete(wikiUrl(`page/${odd.sub_url}`))).status, 204);

  const blob = await git(folder, ['hash-object', '-w', 'Home.md']);
  const name = (index: number) => `${index}-${'x'.repeat(4_000)}.md`;
  const entries = Array.from({ length: 2_000 }, (_, index) => `100644 blob ${blob}\t${name(index)}\n`);
  const tree = await git(folder, ['mktree'], { input: entries.join('') });
  const commit = await git(folder, ['commit-tree', tree, '-p', 'HEAD', '-m', 'Large']);
  await git(folder, ['push', '-q', '--force', 'origin', `${commit}:main`]);
  const { status, body } = await ada.get(wikiUrl('pages'));
  assert.equal(status, 422);
  assert.match(body.message, /have more than 6291456 bytes: use git to read it/);
});
