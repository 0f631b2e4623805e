import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { loosePath } from '../../../src/git/objects/loose-objects.ts';
import { blobOid, delta, ENTRY, handmadePack, withChecksum } from '../../git/packs/handmade-packs.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import {
  commitAll,
  copyOf,
  git,
  gitBytes,
  objectsOf,
  refsOf,
  temporaryFolder,
  tryGit,
  workingCopy,
} from '../../support/git/git.ts';
import { endJobs, watchProcesses } from '../../support/git/started-processes.ts';
import { objectsFolderOf } from '../../support/git-folder.ts';
import { quarantinesOf } from './quarantines.ts';
import { type Command, packOf, pktLines, pushBody, sendGit } from './wire.ts';

type Format = 'sha1' | 'sha256';

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly remote: string;
  readonly work: string;
  /** pushed to `main` */
  readonly first: string;
}

const MANY_LINES = Array.from({ length: 300 }, (_, number) => `line ${number * 7919}\n`);

async function makeFirst(work: string, format: Format): Promise<string> {
  await git(work, ['init', '-q', '--template=', '-b', 'main', `--object-format=${format}`]);
  await mkdir(join(work, 'src', 'deep'), { recursive: true });
  for (const name of ['README.md', 'src/main.c', 'src/deep/part.c', '.gitattributes'])
    await writeFile(join(work, name), `# ${name}\n`);
  await writeFile(join(work, 'src', 'lines'), MANY_LINES.join(''));
  return commitAll(work, 'first');
}

const COPIES = {
  sha1: copyOf((folder) => makeFirst(folder, 'sha1')),
  sha256: copyOf((folder) => makeFirst(folder, 'sha256')),
};

async function stage(t: TestContext, format: Format = 'sha1'): Promise<Stage> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { object_format_name: format });
  const work = await temporaryFolder(t);
  const first = await COPIES[format](work);
  const remote = ada.remote('ada/engine');
  await git(work, ['remote', 'add', 'origin', remote]);
  await git(work, ['push', '-q', 'origin', 'main']);
  return { forge, ada, remote, work, first };
}

/** Returns a function that lists the commands of git that the server has started since its jobs ended. */
async function watchGit(t: TestContext, forge: TestForge): Promise<() => readonly string[]> {
  await endJobs(forge);
  const started = watchProcesses(t);
  return () => started().filter((command) => command.includes('core.hooksPath'));
}

/** Returns only the commands that a push may need. The index of changes lists commits with their times, in a job. */
function ofPushes(commands: readonly string[]): readonly string[] {
  return commands.filter(
    (command) => /index-pack|rev-list|merge-base/.test(command) && !command.includes('--timestamp'),
  );
}

async function assertSame({ forge, work, remote }: Stage): Promise<void> {
  const ours = (await refsOf(work)).filter((line) => !line.startsWith('refs/remotes/'));
  assert.deepEqual(await refsOf(work, remote), ours);
  const { problems } = await forge.forge.running.engines.git.upkeep.verify(await forge.firstRepository());
  assert.deepEqual(problems, []);
  const copy = join(dirname(work), `${randomBytes(6).toString('hex')}.git`);
  try {
    await git('.', ['clone', '-q', '--mirror', remote, copy]);
    assert.deepEqual(await objectsOf(copy), await objectsOf(work));
    assert.equal((await tryGit(copy, ['fsck', '--strict', '--full'])).exitCode, 0);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

type Step = (work: string) => Promise<unknown>;

const CHANGES: Record<string, Step> = {
  'a commit': (work) => writeFile(join(work, 'README.md'), 'changed\n'),
  'a commit whose file is sent as a difference': (work) =>
    writeFile(join(work, 'src', 'lines'), [...MANY_LINES, 'more\n'].join('')),
  'a file in new folders': async (work) => {
    await mkdir(join(work, 'x', 'y', 'z'), { recursive: true });
    await writeFile(join(work, 'x', 'y', 'z', 'new'), 'new\n');
  },
  'a file that moves to another folder': (work) =>
    rename(join(work, 'src', 'main.c'), join(work, 'x', 'main.c')),
  'a folder that moves': (work) => rename(join(work, 'src', 'deep'), join(work, 'x', 'deep')),
  'a file that becomes executable, and a symbolic link': async (work) => {
    await chmod(join(work, 'README.md'), 0o755);
    await symlink('README.md', join(work, 'link'));
  },
  'a file that becomes a folder': async (work) => {
    await rm(join(work, 'link'));
    await mkdir(join(work, 'link'));
    await writeFile(join(work, 'link', 'inner'), 'inner\n');
  },
  'names of any script': (work) => writeFile(join(work, 'größe 長さ.txt'), 'text\n'),
  'a submodule without .gitmodules': async (work) => {
    const other = await git(work, ['rev-parse', 'HEAD']);
    await git(work, ['update-index', '--add', '--cacheinfo', `160000,${other},module`]);
    await mkdir(join(work, 'module'));
  },
  'a deleted file': (work) => rm(join(work, 'README.md')),
  'an earlier state that comes back': (work) => writeFile(join(work, 'src', 'lines'), MANY_LINES.join('')),
};

for (const format of ['sha1', 'sha256'] as const) {
  test(`small pushes of every kind start no git process, and are what they were (${format})`, async (t) => {
    const staged = await stage(t, format);
    const { forge, work } = staged;
    const started = await watchGit(t, forge);
    const push = async (what: string, args: readonly string[]) => {
      const before = ofPushes(started());
      await git(work, ['push', '-q', ...args]);
      assert.deepEqual(ofPushes(started()), before, what);
    };
    for (const [what, change] of Object.entries(CHANGES)) {
      await change(work);
      await commitAll(work, what);
      await push(what, ['origin', 'main']);
    }
    await git(work, ['checkout', '-q', '-b', 'topic', 'main~3']);
    await push('a branch on an older commit', ['origin', 'topic']);
    await writeFile(join(work, 'topic'), 'topic\n');
    await commitAll(work, 'on the topic');
    await push('a commit on it', ['origin', 'topic']);
    await git(work, ['commit', '-q', '--amend', '-m', 'on the topic again']);
    await push('a commit that replaces another', ['--force', 'origin', 'topic']);
    await git(work, ['merge', '-q', '--no-edit', 'main']);
    await git(work, ['push', '-q', 'origin', 'topic']);
    // The references to issues in what the merge brings along need a walk, if nothing else does.
    const walks = ofPushes(started());
    assert.ok(walks.length <= 1 && walks.every((command) => command.includes('rev-list --max-count')));
    await git(work, ['tag', '-a', '-m', 'annotated', 'v1']);
    await git(work, ['tag', '-a', '-m', 'of a tag', 'nested', 'v1']);
    await git(work, ['tag', 'light', 'main~1']);
    await push('tags', ['origin', 'refs/tags/*']);
    await git(work, ['notes', 'add', '-m', 'a note', 'main']);
    await push('notes', ['origin', 'refs/notes/commits']);
    await git(work, ['checkout', '-q', '--orphan', 'apart']);
    await git(work, ['rm', '-q', '-r', '-f', '.']);
    await writeFile(join(work, 'apart'), 'apart\n');
    await commitAll(work, 'apart');
    await push('a history of its own', ['origin', 'apart']);
    await push('several refs at once', ['--atomic', 'origin', 'main:two', 'apart:three', ':apart']);
    await git(work, ['branch', '-q', 'two', 'main']);
    await git(work, ['branch', '-q', 'three', 'apart']);
    await git(work, ['checkout', '-q', 'three']);
    await git(work, ['branch', '-q', '-D', 'apart']);
    await assertSame(staged);
  });
}

test('a small push onto what is in memory starts no process at all', async (t) => {
  const { forge, work } = await stage(t);
  const started = await watchGit(t, forge);
  // The jobs that the push requests start git at any later time.
  await forge.forge.running.services.jobs.stop();
  await writeFile(join(work, 'README.md'), 'changed\n');
  await commitAll(work, 'second');

  await git(work, ['push', '-q', 'origin', 'main']);

  assert.deepEqual(started(), []);
});

test('a small push on top of a large one reads the bases of its differences from the pack', async (t) => {
  const staged = await stage(t);
  const { forge, work } = staged;
  await writeFile(join(work, 'large'), randomBytes(2 * GIT_LIMITS.freshObjectsBytesMax));
  await writeFile(join(work, 'src', 'lines'), [...MANY_LINES, 'packed\n'].join(''));
  await commitAll(work, 'large');
  await git(work, ['push', '-q', 'origin', 'main']);
  const started = await watchGit(t, forge);
  await writeFile(join(work, 'src', 'lines'), [...MANY_LINES, 'changed\n'].join(''));
  await commitAll(work, 'small');

  await git(work, ['push', '-q', 'origin', 'main']);

  assert.deepEqual(ofPushes(started()), []);
  await assertSame(staged);
});

test('a push with more objects than a change of rows is checked by git', async (t) => {
  const staged = await stage(t);
  const { forge, work } = staged;
  const started = await watchGit(t, forge);
  for (let number = 0; number <= GIT_LIMITS.freshObjectsMax; number += 1)
    await writeFile(join(work, `file-${number}`), `${number}\n`);
  await commitAll(work, 'many');

  await git(work, ['push', '-q', 'origin', 'main']);

  assert.equal(ofPushes(started()).filter((command) => command.includes('index-pack')).length, 1);
  await assertSame(staged);
});

test('git checks a new .gitmodules, and a push that leaves it alone needs no git', async (t) => {
  const staged = await stage(t);
  const { forge, work } = staged;
  const started = await watchGit(t, forge);
  const commitModules = async (text: string) => {
    await writeFile(join(work, '.gitmodules'), text);
    await commitAll(work, 'modules');
  };
  await commitModules('[submodule "a"]\n\tpath = a\n\turl = https://example.org/a\n');
  await git(work, ['push', '-q', 'origin', 'main']);
  const checked = ofPushes(started()).length;
  assert.ok(checked > 0);
  await writeFile(join(work, 'README.md'), 'beside it\n');
  await commitAll(work, 'beside it');
  await git(work, ['push', '-q', 'origin', 'main']);
  assert.equal(ofPushes(started()).length, checked);
  await assertSame(staged);

  await commitModules('[submodule "a"]\n\tpath = a\n\turl = -u./evil\n');
  const refused = await tryGit(work, ['push', 'origin', 'main']);
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, /disallowed submodule url|gitmodulesUrl/);
});

async function sendPack(
  { forge, ada }: Stage,
  pack: Uint8Array,
  command: Omit<Command, 'ref'>,
  ref = 'refs/heads/main',
): Promise<readonly string[]> {
  const body = pushBody({ commands: [{ ...command, ref }], pack });
  const answer = await sendGit(forge.url, 'ada/engine/git-receive-pack', { as: { token: ada.token }, body });
  return pktLines(answer.bytes);
}

const SMALL = Buffer.from('small\n');
const SMALL_OID = Buffer.from(blobOid(SMALL), 'hex');
const BLOB = { type: ENTRY.blob, content: SMALL };
/** The id of an object that no repository has. */
const ABSENT = Buffer.alloc(20, 0xa5);
const byReference = (base: Uint8Array, content: Uint8Array) => ({
  type: ENTRY.referenceDelta,
  base,
  content,
});
const byOffset = (bytesBefore: number, content: Uint8Array) => ({
  type: ENTRY.offsetDelta,
  base: Buffer.of(bytesBefore),
  content,
});
/** Copies the whole base. */
const COPY = [0x90, SMALL.length];
const HUGE = 2 ** 40;

const HOSTILE: Record<string, Buffer> = {
  'a difference with a huge result': handmadePack([BLOB, byReference(SMALL_OID, delta(6, HUGE, COPY))]),
  'differences of differences that double': handmadePack([
    { type: ENTRY.blob, content: Buffer.alloc(0x8000) },
    ...Array.from({ length: 40 }, (_, index) =>
      byReference(ABSENT, delta(0x8000 * 2 ** index, 0x8000 * 2 ** (index + 1), COPY)),
    ),
  ]),
  'an object that claims 4 GiB': handmadePack([{ ...BLOB, size: 2 ** 32 }]),
  'an object longer than it claims': handmadePack([{ ...BLOB, size: 3 }]),
  'an object shorter than it claims': handmadePack([{ ...BLOB, size: 30 }]),
  'a copy beyond the base': handmadePack([BLOB, byReference(SMALL_OID, delta(6, 7, [0x91, 1, 7]))]),
  'an insertion beyond the difference': handmadePack([BLOB, byReference(SMALL_OID, delta(6, 9, [9, 1]))]),
  'a reserved instruction': handmadePack([BLOB, byReference(SMALL_OID, delta(6, 6, [0, ...COPY]))]),
  'a difference to a base of another size': handmadePack([BLOB, byReference(SMALL_OID, delta(7, 6, COPY))]),
  'a difference with less than it claims': handmadePack([BLOB, byReference(SMALL_OID, delta(6, 9, COPY))]),
  'a difference without its sizes': handmadePack([BLOB, byReference(SMALL_OID, Buffer.of(0x86))]),
  'a base that nothing has': handmadePack([BLOB, byReference(ABSENT, delta(6, 6, COPY))]),
  'an object that is its own base': handmadePack([byReference(SMALL_OID, delta(6, 6, COPY))]),
  'a base before the pack': handmadePack([BLOB, byOffset(0x7f, delta(6, 6, COPY))]),
  'a base inside of another object': handmadePack([BLOB, byOffset(3, delta(6, 6, COPY))]),
  'a difference to itself': handmadePack([BLOB, byOffset(0, delta(6, 6, COPY))]),
  'the same object twice': handmadePack([BLOB, BLOB]),
  'an object of an unknown type': handmadePack([{ ...BLOB, type: 5 }]),
  'fewer objects than it says': handmadePack([BLOB], 2),
  'more objects than it says': handmadePack([BLOB, { ...BLOB, content: Buffer.from('other') }], 1),
  'a wrong checksum': Buffer.concat([handmadePack([BLOB]).subarray(0, -1), Buffer.of(0x11)]),
  'a truncated object': withChecksum(handmadePack([BLOB]).subarray(0, -25)),
  'an unknown version': withChecksum(Buffer.from('PACK\0\0\0\x09\0\0\0\0', 'latin1')),
};

test('H1: small packs that git would not write are rejected, and leave nothing behind', async (t) => {
  const staged = await stage(t);
  const { forge, first, remote, work } = staged;
  for (const [what, pack] of Object.entries(HOSTILE)) {
    const [unpack = '', ref = ''] = await sendPack(staged, pack, { new: blobOid(SMALL) }, 'refs/tags/small');
    assert.match(unpack, /^unpack (?!ok)./, what);
    assert.match(ref, /^ng refs\/tags\/small /, what);
    assert.ok(!unpack.includes(forge.forge.dataFolder), unpack);
  }
  assert.deepEqual(await quarantinesOf(forge), []);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${first}`]);
  assert.deepEqual(await sendPack(staged, handmadePack([BLOB]), { new: blobOid(SMALL) }, 'refs/tags/small'), [
    'unpack ok',
    'ok refs/tags/small',
    '0000',
  ]);
});

test('bytes after a small pack are ignored, as git ignores them', async (t) => {
  const staged = await stage(t);
  const pack = Buffer.concat([handmadePack([BLOB]), Buffer.from('more')]);
  const [unpack] = await sendPack(staged, pack, { new: blobOid(SMALL) }, 'refs/tags/small');
  assert.equal(unpack, 'unpack ok');
});

/** Writes an object unchanged, and returns its id. */
function write(folder: string, type: string, content: string | Uint8Array): Promise<string> {
  return git(folder, ['hash-object', '-t', type, '-w', '--literally', '--stdin'], { input: content });
}

async function commitOf(work: string, tree: string, parents: readonly string[]): Promise<string> {
  const person = 'Ada <ada@example.org> 1700000000 +0000';
  const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`)];
  return write(work, 'commit', `${[...lines, `author ${person}`, `committer ${person}`].join('\n')}\n\nx\n`);
}

function treeOf(mode: string, name: string, oid: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
}

function packOfObjects(folder: string, oids: readonly string[]): Promise<Buffer> {
  return gitBytes(folder, ['pack-objects', '--stdout', '-q'], { input: `${oids.join('\n')}\n` });
}

test('a small push that names a missing object, or one of another type, is rejected', async (t) => {
  const staged = await stage(t);
  const { work, first, remote } = staged;
  const rootTree = await git(work, ['rev-parse', `${first}^{tree}`]);
  const readme = await git(work, ['rev-parse', `${first}:README.md`]);
  const nowhere = 'a5'.repeat(20);
  const fresh = await write(work, 'blob', 'fresh\n');
  const cases: Record<string, { tree?: Buffer; parent?: string; of?: string }> = {
    'a missing file': { tree: treeOf('100644', 'a', nowhere) },
    'a missing folder': { tree: treeOf('40000', 'a', nowhere) },
    'a folder where a file is': { tree: treeOf('40000', 'a', readme) },
    'a file where a folder is': { tree: treeOf('100644', 'a', rootTree) },
    'a folder where a new file is': { tree: treeOf('40000', 'a', fresh) },
    'a missing tree': { of: nowhere },
    'a file as its tree': { of: readme },
    'a missing parent': { of: rootTree, parent: nowhere },
    'a tree as its parent': { of: rootTree, parent: rootTree },
  };
  for (const [what, { tree, parent, of }] of Object.entries(cases)) {
    const treeOid = tree === undefined ? (of ?? '') : await write(work, 'tree', tree);
    const commit = await commitOf(work, treeOid, [parent ?? first]);
    const objects = tree === undefined ? [commit] : [commit, treeOid, fresh];
    const [unpack = '', ref = ''] = await sendPack(staged, await packOfObjects(work, objects), {
      old: first,
      new: commit,
    });
    assert.match(unpack, /^unpack (?!ok)./, what);
    assert.equal(ref, 'ng refs/heads/main unpacker error', what);
  }
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${first}`]);
});

test('a small push cannot make a ref of an object whose parts are gone', async (t) => {
  const staged = await stage(t);
  const { forge, work, first, remote } = staged;
  // As a prune leaves it that was interrupted: the tree is there, its file is not.
  const tree = treeOf('100644', 'gone', 'a5'.repeat(20));
  const treeOid = await write(work, 'tree', tree);
  await writeLoose(forge, treeOid, 'tree', tree);
  const commit = await commitOf(work, treeOid, [first]);
  const pack = await packOfObjects(work, [commit]);

  const [, ref = ''] = await sendPack(staged, pack, { old: first, new: commit });

  assert.match(ref, /^ng refs\/heads\/main (?:missing necessary objects|unpacker error)$/);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${first}`]);
});

test('a small push may build on a commit that no ref reaches any more', async (t) => {
  const staged = await stage(t);
  const { work, first } = staged;
  await git(work, ['checkout', '-q', '-b', 'left']);
  await writeFile(join(work, 'left'), 'left\n');
  const left = await commitAll(work, 'left');
  await git(work, ['push', '-q', 'origin', 'left']);
  await git(work, ['push', '-q', 'origin', ':left']);
  await writeFile(join(work, 'left'), 'right\n');
  const next = await commitAll(work, 'right');
  const pack = await packOf(work, [next, `^${left}`]);

  assert.equal((await sendPack(staged, pack, { old: first, new: next }))[1], 'ok refs/heads/main');

  await git(work, ['branch', '-q', '-f', 'main', next]);
  await git(work, ['checkout', '-q', 'main']);
  await git(work, ['branch', '-q', '-D', 'left']);
  await assertSame(staged);
});

test('a push that sends commits again which the server has counts only the new ones as new', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const rule = { rule_name: 'release', enable_push: true, protected_file_patterns: 'locked' };
  assert.equal((await ada.post('/api/v1/repos/ada/engine/branch_protections', rule)).status, 201);
  const work = await workingCopy(t);
  await git(work, ['remote', 'add', 'origin', ada.remote('ada/engine')]);
  await writeFile(join(work, 'locked'), 'locked\n');
  await commitAll(work, 'first');
  await git(work, ['push', '-q', 'origin', 'main']);
  const added = await ada.post('/api/v1/repos/ada/engine/contents/later', { content: '' });
  assert.equal(added.status, 201, added.text);
  await writeFile(join(work, 'own'), 'own\n');
  await commitAll(work, 'on what the server had before');

  // The client does not know the tip of `main`, so it sends the first commit again, which has the protected file.
  const pushed = await tryGit(work, ['push', 'origin', 'HEAD:refs/heads/release']);

  assert.equal(pushed.exitCode, 0, pushed.stderr);
});

test('a small push never replaces an object that has the same id and another content', async (t) => {
  const staged = await stage(t);
  const { forge } = staged;
  await writeLoose(forge, blobOid(SMALL), 'blob', Buffer.from('other\n'));

  const [unpack = ''] = await sendPack(
    staged,
    handmadePack([BLOB]),
    { new: blobOid(SMALL) },
    'refs/tags/small',
  );

  assert.match(unpack, /^unpack .*COLLISION/i);
});

/** Writes the file of an object into the first repository of a forge. */
async function writeLoose(forge: TestForge, oid: string, type: string, content: Buffer): Promise<void> {
  const { git: storage } = forge.forge.running.engines;
  const { gitDir } = await objectsFolderOf(storage, await storage.refs.open(await forge.firstRepository()));
  const path = join(gitDir, 'objects', loosePath(oid));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, deflateSync(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])));
}

test('the objects of a small push are rows until they are files, and readable all the time', async (t) => {
  const staged = await stage(t);
  const { forge, ada, work } = staged;
  await writeFile(join(work, 'README.md'), 'as rows\n');
  await commitAll(work, 'second');
  await git(work, ['push', '-q', 'origin', 'main']);
  const { database, git: storage } = forge.forge.running.engines;
  const rows = () => database.reader.selectFrom('git_fresh_objects').select('oid').execute();
  assert.ok((await rows()).length > 0);
  assert.equal((await ada.get('/api/v1/repos/ada/engine/raw/README.md')).text, 'as rows\n');

  await storage.upkeep.moveFreshToFiles();

  assert.deepEqual(await rows(), []);
  assert.equal((await ada.get('/api/v1/repos/ada/engine/raw/README.md')).text, 'as rows\n');
  await assertSame(staged);
});

test('a rejected small push leaves no object behind', async (t) => {
  const { forge, ada, work } = await stage(t);
  await writeFile(join(work, 'README.md'), 'denied\n');
  const tip = await commitAll(work, 'denied');
  const refused = await tryGit(work, ['push', 'origin', 'main:refs/pull/1/head']);
  assert.equal(refused.exitCode, 1);
  assert.equal((await ada.get(`/api/v1/repos/ada/engine/git/commits/${tip}`)).status, 404);
  assert.deepEqual(await quarantinesOf(forge), []);
});

test('a protected branch accepts and denies small pushes of several commits without a git process', async (t) => {
  const { forge, ada, work, first } = await stage(t);
  const protectedBranch = { rule_name: 'main', enable_push: true, protected_file_patterns: 'locked' };
  const created = await ada.post('/api/v1/repos/ada/engine/branch_protections', protectedBranch);
  assert.equal(created.status, 201, created.text);
  const started = await watchGit(t, forge);
  for (const name of ['one', 'two', 'three']) {
    await writeFile(join(work, name), `${name}\n`);
    await commitAll(work, name);
  }
  await git(work, ['push', '-q', 'origin', 'main']);
  await writeFile(join(work, 'locked'), 'x\n');
  await commitAll(work, 'four');
  await writeFile(join(work, 'one'), 'again\n');
  await commitAll(work, 'five');
  const denied = await tryGit(work, ['push', 'origin', 'main']);
  assert.match(denied.stderr, /the file locked may not change/);
  assert.deepEqual(ofPushes(started()), []);

  await git(work, ['reset', '-q', '--hard', first]);
  await writeFile(join(work, 'other'), 'x\n');
  await commitAll(work, 'aside');
  assert.match((await tryGit(work, ['push', '--force', 'origin', 'main'])).stderr, /no force push/);
});
