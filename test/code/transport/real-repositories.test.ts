import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import {
  git,
  gitBytes,
  objectsOf,
  refsOf,
  temporaryFolder,
  tryGit,
  workingCopy,
} from '../../support/git/git.ts';
import { ROOT } from '../../support/process.ts';
import { commitFiles, FastImport, type File, importInto } from './fast-import.ts';

// Runs once: no outcome depends on the database.

interface RoundTrip {
  readonly ada: Person;
  readonly source: string;
  readonly copy: string;
}

/** Pushes all refs of `source`, clones them, and asserts that the copy equals the source and that both are valid. */
async function roundTrip(
  t: TestContext,
  source: string,
  options: { objectFormat?: 'sha1' | 'sha256'; fsck?: readonly string[]; branch?: string } = {},
): Promise<RoundTrip> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', {
    object_format_name: options.objectFormat ?? 'sha1',
    default_branch: options.branch ?? 'main',
  });
  await git(source, ['push', '-q', ada.remote('ada/engine'), '+refs/*:refs/*']);
  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', ['clone', '-q', '--mirror', ada.remote('ada/engine'), copy]);
  assert.deepEqual(await refsOf(copy), await refsOf(source));
  assert.deepEqual(await objectsOf(copy), await objectsOf(source));
  const settings = (options.fsck ?? []).flatMap((message) => ['-c', `fsck.${message}=ignore`]);
  await git(copy, [...settings, 'fsck', '--strict', '--no-dangling']);
  const [id = 0] = await forge.forge.running.engines.git.refs.list();
  assert.deepEqual((await forge.forge.running.engines.git.upkeep.verify(id)).problems, []);
  return { ada, source, copy };
}

const API = '/api/v1/repos/ada/engine';
const segments = (path: string) => path.split('/').map(encodeURIComponent).join('/');

test('the history of this project can be pushed and cloned', async (t) => {
  const source = join(await temporaryFolder(t), 'source');
  const known = await tryGit(ROOT, ['rev-parse', '--is-shallow-repository']);
  if (known.exitCode !== 0) return t.skip('these sources are not a clone of a repository');
  if (known.stdout.trim() === 'true')
    return t.skip('this clone is shallow, so it does not have the whole history');
  await git('.', ['clone', '-q', '--bare', '--shared', ROOT, source]);
  const head = await git(source, ['rev-parse', 'HEAD']);
  const { ada } = await roundTrip(t, source, {
    branch: await git(source, ['symbolic-ref', '--short', 'HEAD']),
  });
  const listed = await ada.get(`${API}/contents/src?ref=${head}`);
  const expected = await git(source, ['ls-tree', `${head}:src`]);
  assert.deepEqual(
    listed.body.map((entry: { sha: string; name: string }) => `${entry.sha}\t${entry.name}`).sort(),
    expected
      .split('\n')
      .map((line) => line.split(' ')[2])
      .sort(),
  );
  const raw = await ada.get(`${API}/raw/README.md?ref=${head}`);
  assert.equal(raw.text, (await gitBytes(source, ['cat-file', 'blob', `${head}:README.md`])).toString());
});

test('five thousand files in folders can be pushed and cloned', async (t) => {
  const source = await workingCopy(t);
  const files = Array.from(
    { length: 5_000 },
    (_, n): File => ({
      path: `folder-${n % 40}/part-${n % 7}/file-${n}.txt`,
      content: `content of ${n}\n`,
    }),
  );
  await commitFiles(source, [...files, { path: 'flat/0', content: '' }]);
  const { ada } = await roundTrip(t, source);
  const folder = await ada.get(`${API}/contents/folder-3`);
  assert.equal(folder.body.length, 7);
  const raw = await ada.get(`${API}/raw/folder-39/part-2/file-4999.txt`);
  assert.equal(raw.status, 404);
  const last = files[4999];
  assert.ok(last);
  assert.equal((await ada.get(`${API}/raw/${last.path}`)).text, 'content of 4999\n');
});

test('deep paths can be pushed, cloned and read', async (t) => {
  const source = await workingCopy(t);
  const levels = Array.from({ length: 200 }, (_, n) => `level-${n}`).join('/');
  const long = Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(198, 'x')).join('/');
  assert.ok(Buffer.byteLength(long) > 3_900 && Buffer.byteLength(long) < 4_096);
  await commitFiles(source, [
    { path: `${levels}/file`, content: 'deep\n' },
    { path: long, content: 'long\n' },
  ]);
  const { ada } = await roundTrip(t, source);
  assert.equal((await ada.get(`${API}/raw/${levels}/file`)).text, 'deep\n');
  assert.equal((await ada.get(`${API}/raw/${long}`)).text, 'long\n');
  const entry = await ada.get(`${API}/contents/${levels}/file`);
  assert.equal(entry.body.path, `${levels}/file`);
  assert.equal(entry.body.last_commit_sha, await git(source, ['rev-parse', 'HEAD']));
});

const ODD_NAMES = [
  'with space',
  ' leading',
  'trailing ',
  '  ',
  `"double" and 'single'`,
  'back\\slash',
  'tab\there',
  'line\nbreak',
  'carriage\rreturn',
  'question?',
  'hash#tag',
  'percent%20',
  'percent%zz',
  'plus+and&amp;',
  'semi;colon',
  'colon:name',
  '<script>',
  'größe.txt',
  'gro\u0308ße.txt',
  '日本語',
  'العربية',
  '\u{1F600}\u{1F468}\u{200D}\u{1F469}',
  '-dash',
  '--output=x',
  '~home',
  '$(x)`y`',
  '*.*',
  '...',
  '.hidden',
  '__proto__',
  'constructor',
  'CON',
  'x'.repeat(255),
  'ü'.repeat(127),
  '\u0001control',
  '@',
  '{}[]()',
];

test('files with odd names can be pushed, cloned and read', async (t) => {
  const source = await workingCopy(t);
  const files = ODD_NAMES.flatMap((name, n) => [
    { path: name, content: `content ${n}\n` },
    { path: `in a folder/${name}/inner ${n}`, content: `inner ${n}\n` },
  ]);
  await commitFiles(source, files);
  const { ada } = await roundTrip(t, source);
  const listed = await ada.get(`${API}/contents`);
  const names = listed.body.map((entry: { name: string }) => entry.name);
  assert.deepEqual(names.sort(), [...ODD_NAMES, 'in a folder'].sort());
  for (const { path, content } of files) {
    assert.equal((await ada.get(`${API}/raw/${segments(path)}`)).text, content, JSON.stringify(path));
    const entry = await ada.get(`${API}/contents/${segments(path)}`);
    assert.equal(entry.body.path, path);
    assert.equal(Buffer.from(entry.body.content, 'base64').toString(), content);
  }
});

test('files with names that are not UTF-8 can be pushed and cloned, and their folder can be listed', async (t) => {
  const source = await workingCopy(t);
  const latin = Buffer.from('caf\u00e9.txt', 'latin1');
  await commitFiles(source, [
    { path: latin, content: 'latin\n' },
    { path: Buffer.from([0xff, 0xfe, 0x80]), content: 'nothing\n' },
    { path: 'plain', content: 'plain\n' },
  ]);
  const { ada, copy } = await roundTrip(t, source);
  const bytes = await gitBytes(copy, ['ls-tree', '-z', '--name-only', 'main']);
  assert.ok(bytes.includes(latin));
  const listed = await ada.get(`${API}/contents`);
  assert.equal(listed.status, 200);
  assert.equal(listed.body.length, 3);
  assert.equal((await ada.get(`${API}/raw/plain`)).text, 'plain\n');
});

test('symlinks, executables, submodules and empty files keep their type', async (t) => {
  const source = await workingCopy(t);
  const commit = 'ab'.repeat(20);
  const modules = '[submodule "lib"]\n\tpath = vendor/lib\n\turl = https://example.org/lib.git\n';
  await commitFiles(source, [
    { path: 'run.sh', content: '#!/bin/sh\n', mode: '100755' },
    { path: 'link', content: 'folder/target', mode: '120000' },
    { path: 'absolute', content: '/etc/passwd', mode: '120000' },
    { path: 'upwards', content: '../../..', mode: '120000' },
    { path: 'folder/target', content: 'target\n' },
    { path: 'vendor/lib', oid: commit, mode: '160000' },
    { path: '.gitmodules', content: modules },
    { path: 'empty', content: '' },
  ]);
  const { ada, copy } = await roundTrip(t, source);
  assert.match(await git(copy, ['ls-tree', 'main', 'run.sh']), /^100755 /);
  const at = async (path: string) => (await ada.get(`${API}/contents/${path}`)).body;
  const link = await at('link');
  assert.deepEqual([link.type, link.target, link.content], ['symlink', 'folder/target', null]);
  assert.equal((await at('absolute')).target, '/etc/passwd');
  const lib = await at('vendor/lib');
  assert.deepEqual(
    [lib.type, lib.sha, lib.submodule_git_url],
    ['submodule', commit, 'https://example.org/lib.git'],
  );
  assert.equal((await at('empty')).size, 0);
  assert.equal((await ada.get(`${API}/raw/link`)).text, 'folder/target');
  assert.equal((await ada.get(`${API}/raw/vendor/lib`)).status, 404);
  assert.equal((await ada.get(`${API}/contents/link/passwd`)).status, 404);
  const types = (await ada.get(`${API}/contents`)).body.map(
    (entry: { name: string; type: string }) => `${entry.name} ${entry.type}`,
  );
  assert.ok(types.includes('vendor dir') && types.includes('upwards symlink'));
});

test('octopus and criss-cross merges, several roots and empty trees can be pushed and cloned', async (t) => {
  const source = await workingCopy(t);
  const stream = new FastImport();
  const root = stream.commit('main', [], [{ path: 'a', content: 'a\n' }]);
  const arms = ['b', 'c', 'd', 'e'].map((name) =>
    stream.commit(name, [root], [{ path: name, content: `${name}\n` }]),
  );
  const octopus = stream.commit('main', [root, ...arms], [{ path: 'f', content: 'f\n' }]);
  const left = stream.commit('left', [octopus], [{ path: 'left', content: '1\n' }]);
  const right = stream.commit('right', [octopus], [{ path: 'right', content: '1\n' }]);
  const cross = stream.commit('left', [left, right], [{ path: 'left', content: '2\n' }]);
  const criss = stream.commit('right', [right, left], [{ path: 'right', content: '2\n' }]);
  const orphan = stream.commit('orphan', [], [{ path: 'z', content: 'z\n' }]);
  stream.commit('main', [cross, criss, orphan], []);
  await importInto(source, stream);
  const empty = await git(source, ['hash-object', '-t', 'tree', '-w', '--stdin'], { input: '' });
  const nothing = await git(source, ['commit-tree', '-m', 'nothing', empty]);
  await git(source, ['update-ref', 'refs/heads/empty', nothing]);
  const { ada } = await roundTrip(t, source);
  assert.deepEqual((await ada.get(`${API}/contents?ref=empty`)).body, []);
  const head = await ada.get(`${API}/contents`);
  for (const entry of head.body) {
    const last = await git(source, ['log', '-1', '--format=%H', 'main', '--', entry.path]);
    assert.equal(entry.last_commit_sha, last, entry.path);
  }
});

test('a thousand branches and a thousand tags can be pushed and cloned', async (t) => {
  const source = await workingCopy(t);
  const stream = new FastImport();
  let parents: string[] = [];
  for (let n = 0; n < 1_000; n += 1) {
    const commit = stream.commit(`branch/${n}`, parents, [{ path: 'count', content: `${n}\n` }]);
    if (n % 2 === 0) stream.tag(`annotated-${n}`, commit);
    else stream.lightTag(`light-${n}`, commit);
    if (n % 10 === 0) parents = [commit];
  }
  await importInto(source, stream);
  const { ada } = await roundTrip(t, source);
  assert.equal((await ada.get(`${API}/raw/count?ref=annotated-998`)).text, '998\n');
  assert.equal((await ada.get(`${API}/raw/count?ref=branch/999`)).text, '999\n');
  // The first branch became the default, because the configured one was not pushed.
  assert.equal((await ada.get(API)).body.default_branch, 'branch/0');
});

test('a repository with SHA-256 objects can be pushed, cloned and read', async (t) => {
  const source = await workingCopy(t, { objectFormat: 'sha256' });
  const stream = new FastImport();
  const one = stream.commit('main', [], [{ path: 'folder/file', content: 'one\n' }]);
  stream.tag('v1', stream.commit('main', [one], [{ path: 'folder/file', content: 'two\n' }]));
  await importInto(source, stream);
  const { ada } = await roundTrip(t, source, { objectFormat: 'sha256' });
  const entry = (await ada.get(`${API}/contents/folder/file?ref=v1`)).body;
  assert.equal(entry.sha, await git(source, ['rev-parse', 'main:folder/file']));
  assert.equal(entry.sha.length, 64);
  assert.equal((await ada.get(`${API}/raw/folder/file?ref=main~0`)).status, 404);
});
