import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64, newPage, wikiUrl } from '../../code/wiki-pages/wiki.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder, tryGit } from '../../support/git/git.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const PAGE = { title: 'New', content_base64: base64('new') };
const REFS = '/ada/engine.wiki.git/info/refs?service=git';

/** Statuses of reading a page, writing one, and of the two over git. */
async function statusesOf(reader: Person | TestForge): Promise<readonly number[]> {
  const title = `Page ${Math.random()}`;
  const answers = await Promise.all([
    reader.get(wikiUrl('page/Home')),
    reader.send('POST', wikiUrl('new'), { json: { ...PAGE, title } }),
    reader.get(`${REFS}-upload-pack`),
    reader.get(`${REFS}-receive-pack`),
  ]);
  return answers.map(({ status }) => status);
}

test('the level of a caller on the unit decides who reads and changes a wiki', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const [ben, cid, dan] = [
    await forge.account('ben'),
    await forge.account('cid'),
    await forge.account('dan'),
  ];
  await ada.repository('engine', { private: true });
  await newPage(ada, 'Home', 'hello');
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  await ada.put(`${ENGINE}/collaborators/cid`, { permission: 'read' });

  assert.deepEqual(await statusesOf(ada), [200, 201, 200, 200]);
  assert.deepEqual(await statusesOf(ben), [200, 201, 200, 200]);
  assert.deepEqual(await statusesOf(cid), [200, 403, 200, 403]);
  assert.deepEqual(await statusesOf(dan), [404, 404, 404, 404]);
  assert.deepEqual(await statusesOf(forge), [404, 404, 401, 401]);
  await ada.patch(ENGINE, { private: false });
  assert.deepEqual(await statusesOf(dan), [200, 403, 200, 403]);
  assert.deepEqual(await statusesOf(forge), [200, 401, 200, 401]);
});

test('a team with the unit alone changes the wiki, and a team without it does not see the wiki', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const [ben, cid] = [await forge.account('ben'), await forge.account('cid')];
  await ada.post('/api/v1/orgs', { username: 'works' });
  await ada.post('/api/v1/orgs/works/repos', { name: 'engine', private: true, auto_init: true });
  const team = async (name: string, units_map: Record<string, string>, member: string) => {
    const options = { name, units_map, includes_all_repositories: true, permission: 'read' };
    const { body } = await ada.post('/api/v1/orgs/works/teams', options);
    assert.equal((await ada.put(`/api/v1/teams/${body.id}/members/${member}`)).status, 204);
  };
  await team('writers', { 'repo.wiki': 'write' }, 'ben');
  await team('coders', { 'repo.code': 'write' }, 'cid');
  const url = (rest: string) => wikiUrl(rest, 'works/engine');
  assert.equal((await ben.post(url('new'), PAGE)).status, 201);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ben.remote('works/engine.wiki'), '.']);
  assert.notEqual((await tryGit(folder, ['ls-remote', ben.remote('works/engine')])).exitCode, 0);
  assert.equal((await cid.get(url('page/New'))).status, 403);
  assert.notEqual((await tryGit(folder, ['ls-remote', cid.remote('works/engine.wiki')])).exitCode, 0);
});

test('everyone who has signed in and sees a globally editable wiki may change it', async (t) => {
  const forge = await startForge(t);
  const [ada, dan] = [await forge.account('ada'), await forge.account('dan')];
  await ada.repository('engine');
  await newPage(ada, 'Home');
  await ada.patch(ENGINE, { globally_editable_wiki: true });
  assert.deepEqual(await statusesOf(dan), [200, 201, 200, 200]);
  assert.deepEqual(await statusesOf(forge), [200, 401, 200, 401]);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', dan.remote('ada/engine.wiki'), '.']);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'by dan']);
  await git(folder, ['push', '-q', dan.remote('ada/engine.wiki'), 'HEAD:main']);
  await ada.patch(ENGINE, { private: true });
  assert.deepEqual(await statusesOf(dan), [404, 404, 404, 404]);
});

test('the wiki of an archived repository can only be read', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Home');
  await ada.patch(ENGINE, { archived: true });
  assert.deepEqual(await statusesOf(ada), [200, 423, 200, 403]);
  assert.equal((await ada.patch(wikiUrl('page/Home'), PAGE)).status, 423);
  assert.equal((await ada.delete(wikiUrl('page/Home'))).status, 423);
});

test('a wiki that is switched off is missing in the API and forbidden over git, and comes back whole', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Home');
  await ada.patch(ENGINE, { has_wiki: false });
  assert.deepEqual(await statusesOf(ada), [404, 404, 403, 403]);
  const external = { external_wiki_url: 'https://wiki.example.org' };
  await ada.patch(ENGINE, { has_wiki: true, external_wiki: external });
  assert.deepEqual(await statusesOf(ada), [404, 404, 403, 403]);
  await ada.patch(ENGINE, { has_wiki: false });
  await ada.patch(ENGINE, { has_wiki: true });
  assert.deepEqual(await statusesOf(ada), [200, 201, 200, 200]);
});

test('a token reaches a wiki with the scopes of the repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await newPage(ada, 'Home');
  const withScopes = async (...scopes: readonly string[]) => {
    const token = await ada.tokenFor(scopes);
    const get = (path: string) => forge.send('GET', path, { as: { token } });
    const post = forge.send('POST', wikiUrl('new'), {
      as: { token },
      json: { ...PAGE, title: scopes.join() },
    });
    const answers = [
      get(wikiUrl('page/Home')),
      post,
      get(`${REFS}-upload-pack`),
      get(`${REFS}-receive-pack`),
    ];
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  assert.deepEqual(await withScopes('read:repository'), [200, 403, 200, 403]);
  assert.deepEqual(await withScopes('write:repository'), [200, 201, 200, 200]);
  assert.deepEqual(await withScopes('write:issue'), [403, 403, 403, 403]);
});

test('permission that ends while a push is on its way ends the push', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await newPage(ada, 'Home');
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  const { services } = forge.forge.running;
  forge.stopAfterTest();
  services.wikiPushes.refsMoving.subscribe(async () => {
    await ada.delete(`${ENGINE}/collaborators/ben`);
  });
  assert.equal((await ben.post(wikiUrl('new'), PAGE)).status, 403);
  assert.equal((await ada.get(wikiUrl('page/New'))).status, 404);
});

test('no route of repositories takes the wiki for a repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await newPage(ada, 'Home');
  const wiki = '/api/v1/repos/ada/engine.wiki';
  for (const path of [
    '',
    '/branches',
    '/contents',
    '/git/refs',
    '/commits',
    '/archive/main.zip',
    '/wiki/pages',
  ])
    for (const name of [wiki, `${wiki}.git`, wiki.replace('wiki', 'WIKI')])
      assert.equal((await ada.get(`${name}${path}`)).status, 404, `${name}${path}`);
  for (const path of ['/src/branch/main', '/raw/branch/main/Home.md', '/archive/main.zip', '/commit/main'])
    assert.equal((await ada.get(`/ada/engine.wiki${path}`)).status, 404, path);
  const batch = { operation: 'upload', objects: [{ oid: 'a'.repeat(64), size: 1 }] };
  const lfs = await ada.send('POST', '/ada/engine.wiki.git/info/lfs/objects/batch', {
    body: JSON.stringify(batch),
    headers: { 'content-type': 'application/vnd.git-lfs+json', accept: 'application/vnd.git-lfs+json' },
  });
  assert.equal(lfs.status, 404);
  const [id, wikiId] = (await forge.forge.running.engines.git.refs.list()).toSorted((a, b) => a - b);
  assert.equal((await forge.root.get(`/api/v1/repositories/${wikiId}`)).status, 404);
  for (const list of ['/api/v1/repos/search', '/api/v1/users/ada/repos', '/api/v1/user/repos']) {
    const { body } = await ada.get(list);
    assert.deepEqual(
      (body.data ?? body).map((each: { id: number }) => each.id),
      [id],
      list,
    );
  }
  assert.equal((await ada.get('/api/v1/repos/ada/engine/git/refs')).body.length, 1);
});

test('no repository gets a name with which an address means a wiki', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const name = 'engine.wiki';
  const refused = [
    ada.post('/api/v1/user/repos', { name }),
    ada.patch(ENGINE, { name: 'engine.Wiki' }),
    ada.post('/api/v1/repos/migrate', { clone_addr: 'https://example.org/x', repo_name: name }),
    forge.root.post(`${ENGINE}/forks`, { name }),
  ];
  assert.deepEqual(
    (await Promise.all(refused)).map(({ status }) => status),
    [422, 422, 422, 422],
  );
});
