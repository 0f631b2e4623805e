import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newPage, textOf, wikiUrl } from '../../code/wiki-pages/wiki.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { commitAll, git, refsOf, temporaryFolder, tryGit, workingCopy } from '../../support/git/git.ts';

/** Makes a working copy with one page, which is not pushed. */
async function copyWithPage(t: Parameters<typeof workingCopy>[0], remote: string, branch = 'main') {
  const work = await workingCopy(t);
  await git(work, ['checkout', '-q', '-B', branch]);
  await writeFile(join(work, 'Home.md'), 'hello\n');
  await commitAll(work, 'begin');
  await git(work, ['remote', 'add', 'origin', remote]);
  return work;
}

const wikiOf = (person: Person, name = 'ada/engine') => person.remote(`${name}.wiki`);

test('the first push creates a wiki, which is cloned, pulled and pushed like any repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await copyWithPage(t, wikiOf(ada));
  const missing = await tryGit(work, ['fetch', 'origin']);
  assert.match(missing.stderr, /not found|no page yet/);

  await git(work, ['push', '-q', 'origin', 'main']);

  assert.equal(textOf((await ada.get(wikiUrl('page/Home'))).body.content_base64), 'hello\n');
  await newPage(ada, 'Other', 'there');
  await git(work, ['pull', '-q', 'origin', 'main']);
  assert.deepEqual((await git(work, ['ls-files'])).split('\n'), ['Home.md', 'Other.md']);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', '--depth', '1', wikiOf(ada), 'shallow']);
  await git(folder, ['clone', '-q', '--filter=blob:none', '--no-checkout', wikiOf(ada), 'partial']);
  assert.equal(await git(join(folder, 'shallow'), ['rev-list', '--count', 'HEAD']), '1');
  await git(folder, ['-c', 'protocol.version=0', 'clone', '-q', '--mirror', wikiOf(ada), 'all']);
  assert.equal(await git(join(folder, 'all'), ['fsck', '--strict', '--no-progress', '--no-dangling']), '');
});

test('a wiki over git has the limits and refusals of repositories', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Home');
  const url = '/ada/engine.wiki.git';
  const dumb = await forge.get(`${url}/info/refs`);
  assert.deepEqual([dumb.status, /dumb protocol/.test(dumb.text)], [403, true]);
  assert.equal((await forge.get('/ada/engine.wiki/info/refs?service=git-upload-pack')).status, 200);
  const unauthenticated = await forge.get(`${url}/info/refs?service=git-receive-pack`);
  assert.equal(unauthenticated.status, 401);
  const request = gzipSync('0011command=ls-refs0000'.replace('0011', '0013'));
  const listed = await forge.send('POST', `${url}/git-upload-pack`, {
    body: request,
    headers: {
      'content-type': 'application/x-git-upload-pack-request',
      'content-encoding': 'gzip',
      'git-protocol': 'version=2',
    },
  });
  assert.deepEqual([listed.status, /refs\/heads\/main/.test(listed.text)], [200, true], listed.text);
});

test('HEAD of a wiki follows its first branch, and the setting of the wiki', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await copyWithPage(t, wikiOf(ada), 'master');
  await git(work, ['push', '-q', 'origin', 'master']);
  const record = async () => (await ada.get('/api/v1/repos/ada/engine')).body;
  assert.equal((await record()).wiki_branch, 'master');
  const headOf = async () => (await git(work, ['ls-remote', '--symref', 'origin', 'HEAD'])).split('\t')[0];
  assert.equal(await headOf(), 'ref: refs/heads/master');
  assert.equal((await ada.get(wikiUrl('page/Home'))).status, 200);

  assert.equal(
    (await ada.patch('/api/v1/repos/ada/engine', { wiki_branch: 'pages' })).body.wiki_branch,
    'pages',
  );
  assert.equal((await ada.get(wikiUrl('page/Home'))).status, 200);
  await newPage(ada, 'New', 'on pages');

  assert.equal(await headOf(), 'ref: refs/heads/pages');
  assert.equal((await ada.get(wikiUrl('page/Home'))).body.commit_count, 1);
  assert.deepEqual(
    (await refsOf(work, wikiOf(ada))).map((line) => line.split(' ')[0]),
    ['refs/heads/master', 'refs/heads/pages'],
  );
  await ada.patch('/api/v1/repos/ada/engine', { wiki_branch: 'master' });
  assert.equal(await headOf(), 'ref: refs/heads/master');
  assert.equal((await ada.get(wikiUrl('page/New'))).status, 404);
});

test('files that are no pages are served by git, and by no route of pages', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await copyWithPage(t, wikiOf(ada));
  await mkdir(join(work, 'deep'));
  await writeFile(join(work, 'deep', 'Page.md'), 'deep');
  await writeFile(join(work, 'picture.png'), 'png');
  await writeFile(join(work, 'a b.md'), 'blank');
  await writeFile(join(work, 'a-b.md'), 'hyphen');
  await writeFile(join(work, 'Über uns.md'), 'about');
  await writeFile(join(work, '100%.md'), 'percent');
  await symlink('Home.md', join(work, 'Link.md'));
  await commitAll(work, 'odd');
  await git(work, ['push', '-q', 'origin', 'main']);

  const { body: pages } = await ada.get(wikiUrl('pages'));

  const named = pages.map((page: { title: string; sub_url: string }) => [page.title, page.sub_url]);
  assert.deepEqual(named, [
    ['100%', '100%25'],
    ['Home', 'Home'],
    ['a b', 'a%20b.md'],
    ['a b', 'a-b'],
    ['Über uns', '%C3%9Cber-uns'],
  ]);
  const texts = await Promise.all(
    pages.map(async ({ sub_url }: { sub_url: string }) =>
      textOf((await ada.get(wikiUrl(`page/${sub_url}`))).body.content_base64),
    ),
  );
  assert.deepEqual(texts, ['percent', 'hello\n', 'blank', 'hyphen', 'about']);
  for (const address of [
    'Link',
    'Link.md',
    'deep%2FPage',
    'deep%2FPage.md',
    'deep',
    'picture.png',
    '%25',
    '%25zz',
  ])
    assert.equal((await ada.get(wikiUrl(`page/${address}`))).status, 404, address);
});

test('a push to a wiki may not move refs of the server, delete its branch, or propose commits', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await copyWithPage(t, wikiOf(ada));
  await git(work, ['push', '-q', 'origin', 'main']);
  for (const ref of [
    ':main',
    'main:refs/quire/x',
    'main:refs/pull/1/head',
    'main:refs/for/main',
    'main:refs/replace/1',
  ]) {
    const { exitCode, stderr } = await tryGit(work, ['push', 'origin', ref]);
    assert.deepEqual([exitCode, /rejected/.test(stderr)], [1, true], `${ref} ${stderr}`);
  }
  await git(work, ['push', '-q', 'origin', 'main:side', 'main:refs/tags/v1']);
  await git(work, ['push', '-q', 'origin', ':side']);
});

test('protections of branches and tags of a repository do not apply to its wiki', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const bob = await forge.account('bob');
  await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });
  const rule = { branch_name: 'main', enable_push: false };
  assert.equal((await ada.post('/api/v1/repos/ada/engine/branch_protections', rule)).status, 201);
  await newPage(bob, 'Home', 'by bob');
  const work = await workingCopy(t);
  await git(work, ['pull', '-q', wikiOf(bob), 'main']);
  await writeFile(join(work, 'Home.md'), 'again\n');
  await commitAll(work, 'edit');
  await git(work, ['push', '-q', '--force', wikiOf(bob), 'HEAD:main']);
  assert.equal(textOf((await ada.get(wikiUrl('page/Home'))).body.content_base64), 'again\n');
});

test('the address of a wiki moves with its repository, and redirects', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Home', 'hello');
  const old = wikiOf(ada);
  await ada.patch('/api/v1/repos/ada/engine', { name: 'motor' });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', wikiOf(ada, 'ada/motor'), 'new']);
  await git(folder, ['clone', '-q', old, 'old']);
  const moved = await forge.get('/ada/engine.wiki.git/info/refs?service=git-upload-pack');
  assert.deepEqual(
    [moved.status, moved.headers.get('location')?.replace(forge.url, '')],
    [301, '/ada/motor.wiki.git/info/refs?service=git-upload-pack'],
  );
  const org = await ada.post('/api/v1/orgs', { username: 'works' });
  assert.equal(org.status, 201);
  assert.equal((await ada.post('/api/v1/repos/ada/motor/transfer', { new_owner: 'works' })).status, 202);
  assert.equal((await ada.get(wikiUrl('page/Home', 'works/motor'))).status, 200);
  await git(folder, ['clone', '-q', wikiOf(ada, 'works/motor'), 'transferred']);
});

test('a wiki is deleted with its repository, and counts in its size', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { services, engines } = forge.forge.running;
  const id = await forge.firstRepository();
  const noise = Array.from({ length: 40_000 }, (_, index) => Math.sin(index).toString(36)).join('');
  await newPage(ada, 'Home', noise);
  const wiki = (await engines.git.refs.list()).find((each) => each !== id);
  assert.ok(wiki !== undefined);
  await engines.git.upkeep.moveFreshToFiles();
  await services.maintenance.measure(wiki);
  const size = async () => (await ada.get('/api/v1/repos/ada/engine')).body.size;
  const withWiki = await size();
  assert.ok(withWiki > 100, `${withWiki}`);
  await services.maintenance.measure(id);
  await services.maintenance.measure(wiki);
  assert.equal(await size(), withWiki);
  for (const work of ['repack', 'prune', 'commit-graph'] as const)
    await services.maintenance.maintain(wiki, work);
  assert.equal(textOf((await ada.get(wikiUrl('page/Home'))).body.content_base64), noise);
  assert.deepEqual((await engines.git.upkeep.verify(wiki)).problems, []);

  assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);

  assert.deepEqual(await engines.git.refs.list(), []);
  const removed = await engines.database.reader.selectFrom('git_removed').select('repository_id').execute();
  assert.deepEqual(removed.map((row) => row.repository_id).sort(), [id, wiki].sort());
});

test('two first pushes to a wiki make one wiki', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const one = await copyWithPage(t, wikiOf(ada));
  const other = await copyWithPage(t, wikiOf(ada));
  await writeFile(join(other, 'Other.md'), 'other');
  await commitAll(other, 'other');
  const results = await Promise.all([
    tryGit(one, ['push', '-q', 'origin', 'main:one']),
    tryGit(other, ['push', '-q', 'origin', 'main:other']),
  ]);
  assert.ok(results.some(({ exitCode }) => exitCode === 0));
  await git(one, ['push', '-q', 'origin', 'main:one']);
  await git(other, ['push', '-q', 'origin', 'main:other']);
  const { git: storage, database } = forge.forge.running.engines;
  assert.equal((await storage.refs.list()).length, 2);
  assert.deepEqual(await database.reader.selectFrom('repository_intents').select('id').execute(), []);
});

test('a rejected first push makes no wiki', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await copyWithPage(t, wikiOf(ada));
  assert.notEqual((await tryGit(work, ['push', 'origin', 'main:refs/quire/x'])).exitCode, 0);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.has_wiki_contents, false);
  assert.equal((await forge.forge.running.engines.git.refs.list()).length, 1);
});

test('a page that is too large for the API is served by git and as a file', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await copyWithPage(t, wikiOf(ada));
  await writeFile(join(work, 'Large.md'), 'x'.repeat(11 * 1024 * 1024));
  await writeFile(join(work, '_Sidebar.md'), 'x'.repeat(300 * 1024));
  await commitAll(work, 'large');
  await git(work, ['push', '-q', 'origin', 'main']);
  assert.equal((await ada.get(wikiUrl('page/Large'))).status, 413);
  assert.equal((await ada.get(wikiUrl('page/Home'))).body.sidebar, '');
  assert.equal((await ada.get(wikiUrl('pages'))).body.length, 3);
  assert.equal((await ada.send('HEAD', '/ada/engine/wiki/raw/Large.md')).status, 200);
  assert.equal((await ada.patch(wikiUrl('page/Large'), { title: 'Moved' })).status, 413);
  assert.equal((await ada.get(wikiUrl('revisions/Large'))).body.count, 1);
  const replaced = await ada.patch(wikiUrl('page/Large'), { title: 'Moved', content_base64: '' });
  assert.deepEqual([replaced.status, replaced.body.title], [200, 'Moved']);
});

test('a wiki with too many files is served by git alone', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await workingCopy(t);
  const files = Array.from({ length: 20_000 }, (_, index) => `M 100644 :1 f${index}.md\n`).join('');
  const commit = (name: string, rest: string) =>
    `commit refs/heads/${name}\ncommitter a <a@example.org> 1 +0000\ndata 1\nx\n${rest}\n`;
  const input = `blob\nmark :1\ndata 1\nx\n${commit('main', files)}${commit('more', `${files}M 100644 :1 more.md\n`)}`;
  await git(work, ['fast-import', '--quiet'], { input });
  await git(work, ['push', '-q', wikiOf(ada), 'main', 'more']);
  assert.equal((await ada.get(wikiUrl('page/f7'))).status, 200);
  assert.equal((await ada.post(wikiUrl('new'), { title: 'one more' })).status, 400);
  await ada.patch('/api/v1/repos/ada/engine', { wiki_branch: 'more' });
  for (const path of ['pages', 'page/f7', 'revisions/f7'])
    assert.equal((await ada.get(wikiUrl(path))).status, 422, path);
  assert.equal((await ada.post(wikiUrl('new'), { title: 'one more' })).status, 422);
});
