import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git, gitBytes, temporaryFolder, workingCopy } from '../../support/git/git.ts';
import { pushedRepository, writeFiles } from '../contents/files.ts';
import { archiveOf, download, entriesOf, tar } from './archives.ts';

test('an archive has the bytes that git archive writes, in a folder with the lower-case name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder } = await pushedRepository(t, ada, 'Engine', {
    'docs/plan.md': '# Plan\n',
    'run.sh': 'true',
  });

  for (const format of ['zip', 'tar.gz']) {
    const archive = await download(forge, archiveOf('ada/Engine', `main.${format}`));

    assert.equal(archive.status, 200);
    const expected = await gitBytes(folder, ['archive', `--format=${format}`, '--prefix=engine/', 'HEAD']);
    assert.ok(archive.bytes.equals(expected), format);
  }
});

test('an archive keeps links, empties submodules and leaves out what export-ignore names', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit, push } = await pushedRepository(t, ada, 'engine', {
    'a.txt': 'a',
    secret: 's',
    '.gitattributes': 'secret export-ignore\n',
    '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = https://example.org/lib\n',
  });
  await symlink('a.txt', join(folder, 'link'));
  await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${commit},lib`]);
  await commitAll(folder, 'More');
  await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${commit},lib`]);
  await git(folder, ['commit', '-q', '-m', 'A submodule']);
  await push('main');

  const archive = await download(forge, archiveOf('ada/engine', 'main.tar.gz'));

  assert.deepEqual(await entriesOf(archive.bytes), [
    'd engine/',
    '- engine/.gitattributes',
    '- engine/.gitmodules',
    '- engine/a.txt',
    'd engine/lib/',
    'l engine/link -> a.txt',
  ]);
});

test('files that ask for it get the commit and its tags written into an archive', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit, push } = await pushedRepository(t, ada, 'engine', {
    version: '$Format:%H %(describe)$',
    '.gitattributes': 'version export-subst\n',
  });
  await git(folder, ['tag', '-a', '-m', 'First', 'v1']);
  await push('v1');

  const archive = await download(forge, archiveOf('ada/engine', 'v1.tar.gz'));

  assert.equal(await tar(['-xzO', 'engine/version'], archive.bytes), `${commit} v1`);
});

for (const objectFormat of ['sha1', 'sha256'] as const) {
  test(`a bundle has the history of a commit, and a clone of it checks that out (${objectFormat})`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada');
    await ada.repository('engine', { object_format_name: objectFormat });
    const work = await workingCopy(t, { objectFormat });
    await writeFiles(work, { 'a.txt': 'a' });
    await commitAll(work, 'First');
    await writeFiles(work, { 'a.txt': 'b' });
    const commit = await commitAll(work, 'Second');
    await git(work, ['push', '-q', ada.remote('ada/engine'), 'main']);

    const bundle = await download(forge, archiveOf('ada/engine', 'main.bundle'));

    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'engine.bundle'), bundle.bytes);
    await git(folder, ['clone', '-q', 'engine.bundle', 'copy']);
    assert.equal(await git(join(folder, 'copy'), ['log', '--format=%H %s', '-1']), `${commit} Second`);
    assert.equal(await git(join(folder, 'copy'), ['rev-list', '--count', 'HEAD']), '2');
    assert.equal(await git(join(folder, 'copy'), ['symbolic-ref', 'HEAD']), 'refs/heads/bundle');
  });
}

test('an archive is found by branch, tag and commit, and its download name has the repository and the ref', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit, push } = await pushedRepository(t, ada, 'Engine', { version: 'one' });
  await git(folder, ['tag', '-a', '-m', 'First', 'releases/v1.0']);
  await git(folder, ['branch', 'feature/x.zip']);
  await push('releases/v1.0', 'feature/x.zip');
  const short = commit.slice(0, 8);
  const names = {
    'main.zip': 'Engine-main.zip',
    'releases/v1.0.zip': 'Engine-releases-v1.0.zip',
    'releases%2Fv1.0.tar.gz': 'Engine-releases-v1.0.tar.gz',
    'feature/x.zip.zip': 'Engine-feature-x.zip.zip',
    'refs/heads/main.zip': 'Engine-refs-heads-main.zip',
    [`${commit}.zip`]: `Engine-${commit}.zip`,
    [`${short}.bundle`]: `Engine-${short}.bundle`,
  };

  for (const [name, file] of Object.entries(names)) {
    const { status, headers } = await download(forge, archiveOf('ada/Engine', name), { method: 'HEAD' });
    assert.equal(status, 200, name);
    assert.equal(headers['content-disposition'], `attachment; filename="${file}"; filename*=UTF-8''${file}`);
  }
});

test('400: an unknown archive format', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });

  for (const name of ['main.rar', 'main', 'main.tgz', 'main.ZIP', 'zip', 'main.zip.exe', 'main.tar'])
    assert.equal((await forge.get(archiveOf('ada/engine', name))).status, 400, name);
});

test('404: an unknown reference of an archive', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { commit, folder } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  const blob = await git(folder, ['rev-parse', 'HEAD:a.txt']);
  await ada.repository('empty');
  const unknown = ['nope', '', 'HEAD~1', 'main@%7Bu%7D', '-v', '--output=x', '0'.repeat(40), blob, '../main'];

  for (const ref of [...unknown, `${commit}0`, 'main%00'])
    assert.equal((await forge.get(archiveOf('ada/engine', `${ref}.zip`))).status, 404, ref);
  assert.equal((await forge.get(archiveOf('ada/empty', 'main.zip'))).status, 404);
});

test('an archive of a hidden repository is missing, whatever its name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  await ada.patch('/api/v1/repos/ada/engine', { private: true });
  const eve = await forge.account('eve');

  for (const name of ['main.zip', 'nope.zip', 'main.rar']) {
    assert.equal((await eve.get(archiveOf('ada/engine', name))).status, 404);
    assert.equal((await forge.get(archiveOf('ada/engine', name))).status, 404);
  }
  assert.equal((await ada.get(archiveOf('ada/engine', 'main.zip'))).status, 200);
  assert.equal((await eve.get(archiveOf('ada/engine', 'main.zip'))).status, 404);
});

test('an archive names its type, its commit and an address that never changes', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { commit, folder } = await pushedRepository(t, ada, 'Engine', { 'a.txt': 'a' });
  const types = { zip: 'application/zip', 'tar.gz': 'application/gzip', bundle: 'application/octet-stream' };

  for (const [format, type] of Object.entries(types)) {
    const { headers } = await download(forge, archiveOf('ada/Engine', `main.${format}`));
    assert.equal(headers['content-type'], type);
    const since = headers['last-modified'] ?? '';
    assert.equal(Date.parse(since), Number(await git(folder, ['show', '-s', '--format=%ct'])) * 1000);
    const early = new Date(Date.parse(since) - 1000).toUTCString();
    const again = (time: string) =>
      download(forge, archiveOf('ada/Engine', `main.${format}`), { headers: { 'if-modified-since': time } });
    assert.deepEqual([(await again(since)).status, (await again(early)).status], [304, 200], format);
    assert.equal(headers['cache-control'], 'private, max-age=300');
    assert.equal(headers['access-control-expose-headers'], 'Content-Disposition');
    const address = `${forge.url}/api/v1/repos/ada/Engine/archive/${commit}.${format}`;
    assert.equal(headers.link, `<${address}?rev=${commit}>; rel="immutable"`);
    assert.equal((await forge.get(new URL(address).pathname)).status, 200);
  }
});

test('the address that pages use gives the same archive', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });

  const overApi = await download(forge, archiveOf('ada/engine', 'main.tar.gz'));
  const onWeb = await download(forge, '/ada/engine/archive/main.tar.gz');

  assert.equal(onWeb.status, 200);
  assert.equal(onWeb.headers.etag, overApi.headers.etag);
  assert.ok(onWeb.bytes.equals(overApi.bytes));
  assert.equal((await download(forge, '/ada/engine/archive/main.rar')).status, 400);
  assert.equal((await download(forge, '/ada/engine/archive/nope.zip')).status, 404);
});

test('a renamed repository has archives with its new name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  const before = await download(forge, archiveOf('ada/engine', 'main.tar.gz'));
  await ada.patch('/api/v1/repos/ada/engine', { name: 'Mill' });

  const moved = await download(forge, archiveOf('ada/engine', 'main.tar.gz'));
  const after = await download(forge, archiveOf('ada/mill', 'main.tar.gz'));

  assert.equal(moved.status, 301);
  assert.equal(moved.headers.location, archiveOf('ada/Mill', 'main.tar.gz'));
  assert.notEqual(after.headers.etag, before.headers.etag);
  assert.deepEqual(await entriesOf(after.bytes), ['d mill/', '- mill/a.txt']);
});

test('B5: an archive, raw and contents read the same commit of a branch and a tag with one name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { version: 'tag' });
  await git(folder, ['tag', 'same']);
  await writeFiles(folder, { version: 'branch' });
  await commitAll(folder, 'Second');
  await push('HEAD:refs/heads/same', 'refs/tags/same');

  for (const ref of ['same', 'refs/tags/same', 'refs/heads/same']) {
    const archive = await download(forge, archiveOf('ada/engine', `${ref}.tar.gz`));
    const raw = await forge.get(`/api/v1/repos/ada/engine/raw/version?ref=${ref}`);
    const contents = await forge.get(`/api/v1/repos/ada/engine/contents/version?ref=${ref}`);
    assert.equal(await tar(['-xzO', 'engine/version'], archive.bytes), raw.text);
    assert.equal(Buffer.from(contents.body.content, 'base64').toString(), raw.text);
    assert.equal(raw.text, ref === 'refs/tags/same' ? 'tag' : 'branch');
  }
});
