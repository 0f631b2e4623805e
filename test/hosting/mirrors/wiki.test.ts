import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newPage, textOf, wikiUrl } from '../../code/wiki-pages/wiki.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git } from '../../support/git/git.ts';
import { type BackendOptions, commitTo, refsAt, startBackend } from './backend.ts';
import { ALLOWED, errorOf, MIGRATE, synced } from './sync.ts';

/** A source that has a repository with one commit, and its wiki with one page. */
async function startSourceWithWiki(t: TestContext, options: BackendOptions = {}) {
  const source = await startBackend(t, options);
  await commitTo(source.folder, 'main', 'first');
  const wiki = join(source.folder, '..', 'engine.wiki.git');
  await git(source.folder, ['init', '-q', '--bare', '-b', 'master', wiki]);
  await git(wiki, ['config', 'http.receivepack', 'false']);
  await commitPage(wiki, 'Home', 'hello');
  return { ...source, wiki };
}

async function commitPage(wiki: string, title: string, text: string): Promise<void> {
  const blob = await git(wiki, ['hash-object', '-w', '--stdin'], { input: text });
  const tree = await git(wiki, ['mktree'], { input: `100644 blob ${blob}\t${title}.md\n` });
  const commit = await git(wiki, ['commit-tree', '-m', title, tree]);
  await git(wiki, ['update-ref', 'refs/heads/master', commit]);
}

test('a migration takes the wiki, too, if it is asked to', async (t) => {
  const source = await startSourceWithWiki(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');

  const made = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', wiki: true });

  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.body.has_wiki_contents, made.body.wiki_branch], [true, 'master']);
  assert.equal(textOf((await ada.get(wikiUrl('page/Home'))).body.content_base64), 'hello');
  assert.deepEqual(await refsAt(source.folder, ada.remote('ada/engine.wiki')), await refsAt(source.wiki));
  await newPage(ada, 'Next', 'after');
  const without = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'bare' });
  assert.equal(without.body.has_wiki_contents, false);
});

test('a migration whose source has no wiki, or an empty one, succeeds without a wiki', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const missing = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'one', wiki: true });
  assert.deepEqual([missing.status, missing.body.has_wiki_contents], [201, false], missing.text);
  await git(source.folder, ['init', '-q', '--bare', join(source.folder, '..', 'engine.wiki.git')]);
  const empty = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'two', wiki: true });
  assert.deepEqual([empty.status, empty.body.has_wiki_contents], [201, false], empty.text);
  const [second, first] = (await ada.get('/api/v1/user/migrations')).body;
  assert.deepEqual([first.left_out, second.left_out], [[], []]);
});

test('a wiki that cannot be used is left out, and the migration says why', async (t) => {
  const source = await startSourceWithWiki(t);
  await git(source.wiki, ['update-ref', 'refs/heads/master', await badCommit(source.wiki)]);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');

  const made = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', wiki: true });

  assert.deepEqual([made.status, made.body.has_wiki_contents], [201, false], made.text);
  const [{ left_out: leftOut }] = (await ada.get('/api/v1/user/migrations')).body;
  assert.match(leftOut.join(), /^the wiki of engine: /);
  const { git: storage, database } = forge.forge.running.engines;
  assert.equal((await storage.refs.list()).length, 1);
  assert.deepEqual(await database.reader.selectFrom('repository_intents').select('id').execute(), []);
});

test('a mirror follows the wiki of its source, which no one changes here', async (t) => {
  const source = await startSourceWithWiki(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const options = { clone_addr: source.url, repo_name: 'engine', wiki: true, mirror: true };
  assert.equal((await ada.post(MIGRATE, options)).status, 201);
  assert.equal((await ada.post(wikiUrl('new'), { title: 'Mine' })).status, 403);
  const refs = '/ada/engine.wiki.git/info/refs?service=git-receive-pack';
  assert.equal((await ada.get(refs)).status, 403);
  await commitPage(source.wiki, 'Next', 'second');

  assert.equal((await ada.post('/api/v1/repos/ada/engine/mirror-sync')).status, 200);
  await synced(forge);

  assert.equal(await errorOf(ada), '');
  assert.equal(textOf((await ada.get(wikiUrl('page/Next'))).body.content_base64), 'second');
  assert.equal((await ada.get(wikiUrl('page/Home'))).status, 404);
});

test('credentials of the source are used for its wiki, too', async (t) => {
  const authorization = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
  const source = await startSourceWithWiki(t, { authorization });
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const login = { auth_username: 'ada', auth_password: 'secret' };
  const options = { clone_addr: source.url, repo_name: 'engine', wiki: true, ...login };
  const made = await ada.post(MIGRATE, options);
  assert.deepEqual([made.status, made.body.has_wiki_contents], [201, true], made.text);
});

test('a failed migration leaves nothing of the wiki', async (t) => {
  const source = await startSourceWithWiki(t);
  await git(source.folder, ['update-ref', 'refs/heads/main', await badCommit(source.folder)]);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const failed = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', wiki: true });
  assert.equal(failed.status, 422, failed.text);
  assert.deepEqual(await forge.forge.running.engines.git.refs.list(), []);
});

/** Makes a commit that no server takes. */
async function badCommit(folder: string): Promise<string> {
  const blob = await git(folder, ['hash-object', '-w', '--stdin'], { input: 'x' });
  const tree = await git(folder, ['mktree'], { input: `100644 blob ${blob}\t.GIT\n` });
  return git(folder, ['commit-tree', '-m', 'bad', tree]);
}
