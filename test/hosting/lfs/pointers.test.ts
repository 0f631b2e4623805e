import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64, contentsOf, pushedRepository, rawOf, writeFiles } from '../../code/contents/files.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git, tryGit, workingCopy } from '../../support/git/git.ts';
import { download, objectOf, pointerTo, storedFiles, upload } from './objects.ts';

const ATTRIBUTES = [
  '# large files',
  '*.bin filter=lfs diff=lfs merge=lfs -text',
  '[attr]large filter=lfs -text',
  '*.psd large',
  'small/*.bin -filter',
  '/root.dat filter=lfs',
  'deep/**/x.dat filter=lfs',
  'my[[:space:]]file filter=lfs',
  '"in quotes.dat" filter=lfs',
  '*.gz filter=other',
  '*.[oa] filter=lfs',
  'keep.bin !filter',
].join('\n');

test('the contents API writes pointers to files that .gitattributes gives to git-lfs', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const nested = 'nested/.gitattributes';
  const { folder } = await pushedRepository(t, ada, 'engine', {
    '.gitattributes': ATTRIBUTES,
    [nested]: '*.bin -filter\n*.raw filter=lfs\n',
    'old.bin': 'as it was',
  });
  const create = (path: string, content: string | Uint8Array) =>
    ada.post(contentsOf('ada/engine', path), { content: base64(content) });

  await t.test('the same files as git', async () => {
    const names = ['a.bin', 'b/a.bin', 'a.psd', 'small/a.bin', 'small/b/a.bin', 'root.dat', 'b/root.dat'];
    names.push('deep/x.dat', 'deep/a/b/x.dat', 'my file', 'in quotes.dat', 'a.gz', 'a.o', 'a.c', 'keep.bin');
    names.push('nested/a.bin', 'nested/a.raw', 'nested/b/a.raw', 'a.raw', 'nested/a.psd', 'a.txt');
    const answer = await git(folder, ['check-attr', 'filter', '--', ...names]);
    const expected = answer.split('\n').map((line) => line.endsWith(': filter: lfs'));
    assert.equal(expected.filter((isLarge) => isLarge).length, 13);

    const files = names.map((path) => ({ operation: 'create', path, content: base64(`of ${path}`) }));
    const made = await ada.post('/api/v1/repos/ada/engine/contents', { files, message: 'Many' });
    assert.equal(made.status, 201, made.text);
    for (const [index, path] of names.entries()) {
      const { text } = await ada.get(rawOf('ada/engine', path));
      assert.equal(text, expected[index] ? pointerTo(objectOf(`of ${path}`)) : `of ${path}`, path);
      assert.equal((await ada.get(rawOf('ada/engine', path).replace('/raw/', '/media/'))).text, `of ${path}`);
    }
  });

  await t.test('an update becomes a pointer, and the object is there', async () => {
    const content = Buffer.alloc(300_000, 'large');
    const { sha } = (await ada.get(contentsOf('ada/engine', 'old.bin'))).body;
    const updated = await ada.put(contentsOf('ada/engine', 'old.bin'), { sha, content: base64(content) });
    assert.equal(updated.status, 200, updated.text);
    assert.equal((await ada.get(rawOf('ada/engine', 'old.bin'))).text, pointerTo(objectOf(content)));
    assert.equal((await download(ada, 'ada/engine', objectOf(content)))?.text, content.toString());
  });

  await t.test('nothing and a pointer stay as they are', async () => {
    const pointer = pointerTo(objectOf('elsewhere'));
    await create('empty.bin', '');
    await create('pointer.bin', pointer);
    assert.equal((await ada.get(rawOf('ada/engine', 'empty.bin'))).text, '');
    assert.equal((await ada.get(rawOf('ada/engine', 'pointer.bin'))).text, pointer);
  });

  await t.test('a rejected change stores nothing', async () => {
    const clash = await create('old.bin', 'not stored');
    assert.equal(clash.status, 422);
    assert.deepEqual(storedFiles(forge, objectOf('not stored')), []);
  });

  await t.test('a branch without attributes, or not yet a branch, has no pointers', async () => {
    await ada.repository('plain');
    const first = { content: base64('plain') };
    assert.equal((await ada.post(contentsOf('ada/plain', 'a.bin'), first)).status, 201);
    assert.equal((await ada.get(rawOf('ada/plain', 'a.bin'))).text, 'plain');
    const attributes = { content: base64(ATTRIBUTES), new_branch: 'large' };
    await ada.post(contentsOf('ada/plain', '.gitattributes'), attributes);
    await ada.post(contentsOf('ada/plain', 'b.bin'), { content: base64('b') });
    await ada.post(contentsOf('ada/plain', 'b.bin'), { content: base64('b'), branch: 'large' });
    assert.equal((await ada.get(rawOf('ada/plain', 'b.bin'))).text, 'b');
    assert.equal((await ada.get(`${rawOf('ada/plain', 'b.bin')}?ref=large`)).text, pointerTo(objectOf('b')));
  });
});

test('large files of the contents API keep to the limits', async (t) => {
  const forge = await startForge(t, { settings: { lfsObjectMib: '1' } });
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { '.gitattributes': '*.bin filter=lfs\n' });
  const content = base64(Buffer.alloc(1024 * 1024 + 1));

  const made = await ada.post(contentsOf('ada/engine', 'a.bin'), { content });

  assert.equal(made.status, 413);
  assert.equal((await ada.get(rawOf('ada/engine', 'a.bin'))).status, 404);
  assert.equal((await ada.post(contentsOf('ada/engine', 'a.txt'), { content })).status, 201);
});

test('with require-lfs-objects, commits with pointers to missing objects are rejected', async (t) => {
  const forge = await startForge(t, { settings: { requireLfsObjects: 'true' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await workingCopy(t);
  const missing = objectOf('missing');
  const remote = ada.remote('ada/engine');
  await writeFiles(folder, { 'a.bin': pointerTo(missing), 'b.bin': pointerTo(objectOf('b')), 'c.txt': 'c' });
  await commitAll(folder, 'Begin');

  const rejected = await tryGit(folder, ['push', remote, 'main', 'main:refs/heads/other']);
  assert.notEqual(rejected.exitCode, 0);
  assert.match(
    rejected.stderr,
    /objects of git-lfs are missing: [0-9a-f]{64}, [0-9a-f]{64}; run git lfs push/,
  );
  assert.equal((await ada.get('/api/v1/repos/ada/engine/branches')).body.length, 0);

  await upload(ada, 'ada/engine', 'b');
  assert.match(
    (await tryGit(folder, ['push', remote, 'main'])).stderr,
    new RegExp(`missing: ${missing.oid};`),
  );
  await upload(ada, 'ada/engine', 'missing');
  await git(folder, ['push', '-q', remote, 'main']);

  // Later pushes look at new objects only, also of commits below the tip.
  await writeFiles(folder, { 'd.bin': pointerTo(objectOf('d')) });
  await commitAll(folder, 'A pointer');
  await git(folder, ['rm', '-q', 'd.bin']);
  await commitAll(folder, 'Without it');
  assert.notEqual((await tryGit(folder, ['push', remote, 'main'])).exitCode, 0);
  await git(folder, ['reset', '-q', '--hard', 'HEAD~2']);
  await writeFiles(folder, { 'e.txt': 'e' });
  await commitAll(folder, 'No pointer');
  await git(folder, ['push', '-q', remote, 'main']);

  const pointer = base64(pointerTo(objectOf('over the API')));
  const written = await ada.post(contentsOf('ada/engine', 'f.bin'), { content: pointer });
  assert.equal(written.status, 422);
  assert.match(written.body.message, /objects of git-lfs are missing/);
  assert.equal((await ada.post(contentsOf('ada/engine', 'f.txt'), { content: base64('f') })).status, 201);
});

test('files that come from another repository bring their objects, with or without the rule', async (t) => {
  for (const requireLfsObjects of ['false', 'true']) {
    const forge = await startForge(t, { settings: { requireLfsObjects } });
    const ada = await forge.account('ada');
    const eve = await forge.account('eve');
    await ada.repository('engine', { template: true });
    const [kept, gone, later] = ['kept', 'gone', 'later'].map((content) => objectOf(content));
    if (kept === undefined || gone === undefined || later === undefined) throw new Error('no object');
    for (const content of ['kept', 'gone', 'later', 'unused']) await upload(ada, 'ada/engine', content);
    const folder = await workingCopy(t);
    const push = () => git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
    await writeFiles(folder, { 'gone.bin': pointerTo(gone) });
    await commitAll(folder, 'Begin');
    await git(folder, ['mv', 'gone.bin', 'kept.bin']);
    await writeFiles(folder, { 'kept.bin': pointerTo(kept) });
    await commitAll(folder, 'More');
    await push();

    const generated = await eve.post('/api/v1/repos/ada/engine/generate', {
      owner: 'eve',
      name: 'generated',
      git_content: true,
    });
    assert.equal(generated.status, 201, generated.text);
    assert.equal((await download(eve, 'eve/generated', kept))?.text, 'kept');
    // Deleted files of the template stay private to it.
    assert.equal(await download(eve, 'eve/generated', gone), undefined);

    assert.equal((await eve.post('/api/v1/repos/ada/engine/forks', { name: 'fork' })).status, 202);
    assert.equal((await download(eve, 'eve/fork', gone))?.text, 'gone');
    const newer = await upload(ada, 'ada/engine', 'newer');
    await writeFiles(folder, { 'newer.bin': pointerTo(newer) });
    await commitAll(folder, 'After the fork');
    await push();
    assert.equal(await download(eve, 'eve/fork', newer), undefined);
    const synced = await eve.post('/api/v1/repos/eve/fork/sync_fork');
    assert.ok(synced.status < 300, synced.text);
    assert.equal((await download(eve, 'eve/fork', newer))?.text, 'newer');
  }
});
