import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { refsAt } from '../mirrors/backend.ts';
import { limit } from '../quota/groups.ts';

const UNADOPTED = '/api/v1/admin/unadopted';

interface Place {
  readonly forge: TestForge;
  /** has the unadopted repositories */
  readonly folder: string;
  /** Makes a bare repository with a history in the folder. @returns its path */
  add(path: string, options?: { format?: string; files?: number }): Promise<string>;
  list(query?: string): Promise<readonly string[]>;
  adopt(path: string): Promise<number>;
}

async function place(t: TestContext): Promise<Place> {
  const dataFolder = await temporaryFolder(t);
  const forge = await startForge(t, { dataFolder });
  const folder = join(dataFolder, 'unadopted');
  await mkdir(folder);
  return {
    forge,
    folder,
    async add(path, { format = 'sha1', files = 3 } = {}) {
      const work = await temporaryFolder(t);
      await git(work, ['init', '-q', '-b', 'trunk', `--object-format=${format}`]);
      for (let index = 0; index < files; index += 1) {
        await writeFile(join(work, `${index}.txt`), `${path} ${index}\n`);
        await git(work, ['add', '.']);
        await git(work, ['commit', '-qm', `File ${index}`]);
      }
      if (files > 0) await git(work, ['tag', '-am', 'One', 'v1']);
      if (files > 0) await git(work, ['branch', 'side', 'HEAD~1']);
      const bare = join(folder, `${path}.git`);
      await git(work, ['clone', '-q', '--bare', work, bare]);
      return bare;
    },
    list: async (query = '') => (await forge.root.get(`${UNADOPTED}${query}`)).body,
    adopt: async (path) => (await forge.root.post(`${UNADOPTED}/${path}`)).status,
  };
}

test('bare repositories in the folder are listed by name, with a pattern and in pages', async (t) => {
  const { forge, folder, add, list } = await place(t);
  const ada = await forge.account('ada');
  assert.deepEqual(await list(), []);
  for (const path of ['ben/loom', 'ada/engine', 'ada/Mill', 'ada/known']) await add(path, { files: 0 });
  await ada.repository('known');
  await mkdir(join(folder, 'ada', 'work'));
  await mkdir(join(folder, 'ada', '..bad.git'));
  await writeFile(join(folder, 'ada', 'file.git'), '');
  await symlink(join(folder, 'ben'), join(folder, 'link'));
  await symlink(join(folder, 'ben/loom.git'), join(folder, 'ada/link.git'));

  assert.deepEqual(await list(), ['ada/Mill', 'ada/engine', 'ben/loom']);
  assert.deepEqual(await list('?pattern=ada/*'), ['ada/Mill', 'ada/engine']);
  assert.deepEqual(await list('?pattern=*/m?ll'), ['ada/Mill']);
  assert.deepEqual(await list('?pattern=ada'), ['ada/Mill', 'ada/engine'], 'a word names an owner');
  assert.deepEqual(await list('?pattern=b*'), ['ben/loom']);
  assert.deepEqual(await list('?pattern=loom'), []);
  const page = await forge.root.get(`${UNADOPTED}?limit=2&page=2`);
  assert.deepEqual([page.body, page.headers.get('x-total-count')], [['ben/loom'], '3']);
  assert.deepEqual(await list('?pattern={ben,eve}/**'), ['ben/loom']);
  for (const bad of ['%5Ba', '{a', 'x'.repeat(501)])
    assert.equal((await forge.root.get(`${UNADOPTED}?pattern=${bad}`)).status, 422, bad);
});

test('an adopted repository has its branches, tags and default branch, is private, and leaves the folder', async (t) => {
  const { forge, add, list, adopt } = await place(t);
  const ada = await forge.account('ada');
  const bare = await add('ada/engine');
  await git(bare, ['pack-refs', '--all']);
  await git(bare, ['update-ref', 'refs/heads/side', 'trunk']);
  const expected = await refsAt(bare);
  await writeFile(join(bare, 'refs/heads/side.lock'), '');

  assert.equal(await adopt('ada/engine'), 204);

  const { body } = await ada.get('/api/v1/repos/ada/engine');
  assert.deepEqual([body.private, body.default_branch, body.empty], [true, 'trunk', false]);
  const clone = join(await temporaryFolder(t), 'clone.git');
  await git('/', ['clone', '-q', '--mirror', ada.remote('ada/engine'), clone]);
  assert.equal(await git(clone, ['fsck', '--strict', '--no-progress']), '');
  assert.deepEqual(await refsAt(clone), expected);
  assert.equal(existsSync(bare), false);
  assert.deepEqual(await list(), []);
  assert.equal(await adopt('ada/engine'), 404);
  const created = await eventsOf(forge.forge.running.engines.database, 'repository.created');
  assert.equal(created.length, 1);
});

test('the wiki beside a repository is adopted, and deleted, with it', async (t) => {
  const { forge, folder, add, list, adopt } = await place(t);
  const ada = await forge.account('ada');
  for (const name of ['engine', 'engine.wiki', 'mill', 'mill.wiki', 'loom']) await add(`ada/${name}`);
  await add('ada/loom.wiki', { files: 0 });
  assert.deepEqual(await list(), ['ada/engine', 'ada/loom', 'ada/mill']);

  for (const name of ['engine', 'loom']) assert.equal(await adopt(`ada/${name}`), 204);
  assert.equal((await forge.root.delete(`${UNADOPTED}/ada/mill`)).status, 204);

  const url = '/api/v1/repos/ada/engine';
  const { has_wiki, wiki_branch } = (await ada.get(url)).body;
  assert.deepEqual([has_wiki, wiki_branch], [true, 'trunk']);
  assert.match(await git(folder, ['ls-remote', ada.remote('ada/engine.wiki')]), /refs\/heads\/trunk/);
  await ada.post(`${url}/wiki/new`, { title: 'Home', content_base64: 'SGk=' });
  assert.equal((await ada.get(`${url}/wiki/pages`)).body.length, 1);
  assert.equal((await ada.get('/api/v1/repos/ada/loom/wiki/pages')).body.length, 0);
  assert.deepEqual(await readdir(join(folder, 'ada')), ['loom.wiki.git']);
});

test('422: a broken wiki stops the adoption of its repository, and both remain', async (t) => {
  const { forge, folder, add, list } = await place(t);
  const ada = await forge.account('ada');
  await add('ada/engine');
  const wiki = await add('ada/engine.wiki');
  await writeFile(join(wiki, 'refs/heads/broken'), `${'1'.repeat(40)}\n`);

  const { status, body } = await forge.root.post(`${UNADOPTED}/ada/engine`);
  assert.equal(status, 422);
  assert.match(body.message, /^the wiki: /);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404);
  assert.deepEqual([await list(), (await readdir(join(folder, 'ada'))).length], [['ada/engine'], 2]);
});

test('a folder with refs that are not adopted remains, with all that it has', async (t) => {
  const { forge, add, list, adopt } = await place(t);
  const ada = await forge.account('ada');
  for (const [name, ref] of [
    ['pulls', 'refs/pull/1/head'],
    ['kept', 'refs/keep/own'],
  ] as const) {
    const bare = await add(`ada/${name}`);
    await git(bare, ['update-ref', ref, 'trunk']);
    if (name === 'kept') await git(bare, ['pack-refs', '--all']);
    assert.equal(await adopt(`ada/${name}`), 204);
    assert.match(await git(bare, ['show-ref']), new RegExp(ref));
    const branches = (await ada.get(`/api/v1/repos/ada/${name}/branches`)).body;
    assert.deepEqual(branches.map((branch: { name: string }) => branch.name).toSorted(), ['side', 'trunk']);
  }
  const linked = await add('ada/linked');
  await git(linked, ['symbolic-ref', 'refs/heads/main', 'refs/heads/trunk']);
  assert.equal(await adopt('ada/linked'), 204);
  assert.equal(existsSync(linked), true);
  assert.deepEqual(await list(), []);
});

test('422: a folder that is not a bare repository or has broken refs is not adopted, and remains', async (t) => {
  const { forge, folder, add, list, adopt } = await place(t);
  const ada = await forge.account('ada');
  const broken = {
    none: (bare: string) => rm(join(bare, 'HEAD')),
    head: (bare: string) => writeFile(join(bare, 'HEAD'), 'trunk\n'),
    objects: (bare: string) => rm(join(bare, 'objects'), { recursive: true }),
    refs: (bare: string) => rm(join(bare, 'refs'), { recursive: true }),
    packed: (bare: string) => writeFile(join(bare, 'packed-refs'), 'no refs\n'),
    loose: (bare: string) => writeFile(join(bare, 'refs/heads/trunk'), ''),
  };
  for (const [name, change] of Object.entries(broken)) {
    const bare = await add(`ada/${name}`);
    await change(bare);
    assert.equal(await adopt(`ada/${name}`), 422, name);
    assert.equal(existsSync(bare), true, name);
    assert.equal((await ada.get(`/api/v1/repos/ada/${name}`)).status, 404, name);
  }
  const work = join(folder, 'ada/work.git');
  await git(folder, ['init', '-q', work]);
  assert.equal(await adopt('ada/work'), 422);
  assert.equal(existsSync(join(work, '.git')), true);
  assert.equal((await list()).length, 7);
});

test('repositories with SHA-256 objects, packed or not, and empty ones are adopted', async (t) => {
  const { forge, add, adopt } = await place(t);
  const ada = await forge.account('ada');
  await add('ada/wide', { format: 'sha256' });
  const packed = await add('ada/packed');
  await git(packed, ['repack', '-qad']);
  await add('ada/empty', { files: 0 });
  for (const name of ['wide', 'packed', 'empty']) assert.equal(await adopt(`ada/${name}`), 204, name);
  const format = async (name: string) => (await ada.get(`/api/v1/repos/ada/${name}`)).body.object_format_name;
  assert.deepEqual([await format('wide'), await format('packed')], ['sha256', 'sha1']);
  assert.equal((await ada.get('/api/v1/repos/ada/packed/contents/2.txt')).status, 200);
  assert.equal((await ada.get('/api/v1/repos/ada/empty')).body.empty, true);
});

test('a repository is adopted whose configuration has hundreds of thousands of empty lines', async (t) => {
  const { forge, add, adopt } = await place(t);
  await forge.account('ada');
  const config = join(await add('ada/engine'), 'config');
  await appendFile(config, '\n'.repeat(900_000));
  assert.equal(await adopt('ada/engine'), 204);
});

test('C4: a hostile repository to adopt runs nothing, and brings no files from outside', async (t) => {
  const { forge, add, adopt } = await place(t);
  const ada = await forge.account('ada');
  const bare = await add('ada/engine');
  const marker = join(await temporaryFolder(t), 'ran');
  const script = `#!/bin/sh\ntouch ${marker}\n`;
  for (const hook of ['post-update', 'pre-receive', 'reference-transaction', 'post-checkout']) {
    await writeFile(join(bare, 'hooks', hook), script);
    await chmod(join(bare, 'hooks', hook), 0o755);
  }
  const program = join(bare, 'program');
  await writeFile(program, script);
  await chmod(program, 0o755);
  await appendFile(
    join(bare, 'config'),
    `[core]\n\tfsmonitor = ${program}\n\talternateRefsCommand = ${program}\n\tsshCommand = ${program}
[uploadpack]\n\tpackObjectsHook = ${program}\n[include]\n\tpath = /etc/passwd\n`,
  );
  const outside = await temporaryFolder(t);
  await git(outside, ['init', '-q', '-b', 'trunk']);
  await writeFile(join(outside, 'secret.txt'), 'secret\n');
  await git(outside, ['add', '.']);
  await git(outside, ['commit', '-qm', 'Secret']);
  const secret = await git(outside, ['rev-parse', 'HEAD']);
  await writeFile(join(bare, 'objects/info/alternates'), `${join(outside, '.git/objects')}\n`);
  await writeFile(join(bare, 'refs/heads/stolen'), `${secret}\n`);

  assert.equal(await adopt('ada/engine'), 422, 'a ref names an object that only an alternate has');
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404);
  await rm(join(bare, 'refs/heads/stolen'));
  await writeFile(join(outside, 'oid'), `${secret}\n`);
  await symlink(join(outside, 'oid'), join(bare, 'refs/heads/stolen'));
  await symlink(outside, join(bare, 'refs/heads/folder'));
  assert.equal(await adopt('ada/engine'), 204);
  assert.equal((await ada.get('/api/v1/repos/ada/engine/branches/stolen')).status, 404);
  assert.equal((await ada.get(`/api/v1/repos/ada/engine/git/commits/${secret}`)).status, 404);
  assert.equal(existsSync(marker), false);
});

test('C3: symbolic links to objects and folders of a repository to adopt count as missing', async (t) => {
  const { forge, folder, add, adopt } = await place(t);
  await forge.account('ada');
  const bare = await add('ada/engine');
  const elsewhere = join(await temporaryFolder(t), 'objects');
  await rename(join(bare, 'objects'), elsewhere);
  await symlink(elsewhere, join(bare, 'objects'));
  assert.equal(await adopt('ada/engine'), 422);
  await rename(bare, join(folder, 'moved'));
  await symlink(join(folder, 'moved'), bare);
  assert.equal(await adopt('ada/engine'), 404);
  assert.equal((await forge.root.delete(`${UNADOPTED}/ada/engine`)).status, 404);
  assert.equal(existsSync(elsewhere), true);
});

test('a failure leaves the folder as it is, and no repository', async (t) => {
  const { forge, add, list, adopt } = await place(t);
  const ada = await forge.account('ada');
  const bare = await add('ada/engine');
  const [shard = ''] = (await readdir(join(bare, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const [object = ''] = await readdir(join(bare, 'objects', shard));
  const path = join(bare, 'objects', shard, object);
  await chmod(path, 0o644);
  await writeFile(path, 'broken');
  assert.equal(await adopt('ada/engine'), 422);
  assert.equal(await adopt('eve/engine'), 404, 'no owner of this name');
  assert.deepEqual(await list(), ['ada/engine']);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404);
  await add('ada/mill');
  await limit(forge.root, 'ada', { bytes: 0, subjects: ['size:all'] });
  assert.equal(await adopt('ada/mill'), 413);
  assert.deepEqual(await list(), ['ada/engine', 'ada/mill']);
  const staged = join(bare, '../../../git/staged');
  assert.deepEqual(existsSync(staged) ? await readdir(staged) : [], []);
});

test('an unadopted repository is deleted with its folder', async (t) => {
  const { forge, folder, add, list } = await place(t);
  const bare = await add('ada/engine');
  const outside = await temporaryFolder(t);
  await writeFile(join(outside, 'kept.txt'), 'kept');
  await symlink(outside, join(bare, 'outside'));

  const deleted = await forge.root.delete(`${UNADOPTED}/ada/engine`);

  assert.deepEqual([deleted.status, deleted.text, await list()], [204, '', []]);
  assert.deepEqual(await readdir(folder), ['ada']);
  assert.deepEqual(await readdir(outside), ['kept.txt']);
  assert.equal((await forge.root.delete(`${UNADOPTED}/ada/engine`)).status, 404);
  const events = await eventsOf(forge.forge.running.engines.database, 'unadopted-repository.deleted');
  assert.equal(events.length, 1);
});

test('404: names that lead elsewhere; 403: other users', async (t) => {
  const { forge, add, adopt } = await place(t);
  const ada = await forge.account('ada');
  const bare = await add('ada/engine');
  for (const path of ['ada/..%2Fengine', '..%2F..%2Fada/engine', 'ada/engine.git', '%2Fetc/x', 'ada/%00'])
    assert.ok([404, 400].includes(await adopt(path)), path);
  assert.equal((await ada.get(UNADOPTED)).status, 403);
  assert.equal((await ada.post(`${UNADOPTED}/ada/engine`)).status, 403);
  assert.equal((await ada.delete(`${UNADOPTED}/ada/engine`)).status, 403);
  assert.equal((await forge.get(UNADOPTED)).status, 401);
  assert.equal(existsSync(bare), true);
});
