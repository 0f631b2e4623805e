import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { ForgeError } from '../../../src/base/core/failure.ts';
import type { ObjectFormat, Oid } from '../../../src/git/format/model.ts';
import type { GitStorage } from '../../../src/git/interface/storage.ts';
import type { WriteSession } from '../../../src/git/interface/writes.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { mirrorOf } from '../../support/git-folder.ts';
import {
  git,
  gitBytes,
  MAIN,
  NOTHING_MORE,
  openGitFixture,
  packOf,
  temporaryFolder,
} from '../git-fixture.ts';

// Runs once: no outcome depends on the database.

const PACK_BYTES_MAX = 64 * 1024 * 1024;

/** Creates a working copy with `commits` commits on main. */
function workingClone(t: TestContext, options: { format?: ObjectFormat; commits?: number } = {}): string {
  const folder = temporaryFolder(t);
  git(folder, ['init', '-q', '-b', 'main', `--object-format=${options.format ?? 'sha1'}`]);
  for (let number = 1; number <= (options.commits ?? 3); number += 1) addCommit(folder, `commit ${number}`);
  return folder;
}

/** Adds a commit that is too large for a server to read without git. */
function addLargeCommit(folder: string): Oid {
  writeFileSync(join(folder, 'large'), randomBytes(GIT_LIMITS.freshObjectsBytesMax));
  git(folder, ['add', '-A']);
  return addCommit(folder, 'large');
}

function addCommit(folder: string, message: string): Oid {
  git(folder, ['commit', '-q', '--allow-empty', '-m', message]);
  return git(folder, ['rev-parse', 'HEAD']);
}

async function push(storage: GitStorage, id: number, clone: string, old: Oid | null = null): Promise<Oid> {
  const tip = git(clone, ['rev-parse', 'HEAD']);
  await using session = await storage.writes.begin(id);
  await session.ingestPack(packOf(clone, old === null ? [tip] : [tip, `^${old}`], ['--thin']), {
    bytesMax: PACK_BYTES_MAX,
  });
  assert.deepEqual(await session.findDisconnected([tip]), []);
  const results = await storage.writes.commit(session, [{ ref: MAIN, old, new: tip }], NOTHING_MORE);
  assert.deepEqual(results, [{ ref: MAIN, outcome: 'moved' }]);
  return tip;
}

function failureOf(kind: string) {
  return (error: unknown) => error instanceof ForgeError && error.failure.kind === kind;
}

for (const format of ['sha1', 'sha256'] as const) {
  test(`a pushed pack is served to the next clone (${format})`, async (t) => {
    const { storage, id } = await openGitFixture(t, format);
    const clone = workingClone(t, { format });
    const first = await push(storage, id, clone);
    addCommit(clone, 'more');
    const second = await push(storage, id, clone, first);

    const snapshot = await storage.refs.open(id);
    assert.equal(snapshot.ref(MAIN), second);
    const { gitDir } = await mirrorOf(storage, snapshot);
    const copy = temporaryFolder(t);
    git(copy, ['clone', '-q', '--no-local', gitDir, 'copy']);
    assert.equal(git(join(copy, 'copy'), ['rev-parse', 'HEAD']), second);
    git(gitDir, ['fsck', '--strict']);
  });
}

test('objects of a session are visible only in it until the commit', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const clone = workingClone(t);
  const tip = git(clone, ['rev-parse', 'HEAD']);
  await using session = await storage.writes.begin(id);
  await session.ingestPack(packOf(clone, [tip]), { bytesMax: PACK_BYTES_MAX });

  assert.equal((await session.objects.readCommit(tip)).message, 'commit 3\n');
  const outside = await storage.refs.open(id);
  assert.equal(await outside.objects.info(tip), undefined);
  await using other = await storage.writes.begin(id);
  assert.equal(await other.objects.info(tip), undefined);
  assert.deepEqual(await other.findDisconnected([tip]), [tip]);
});

test('an uncommitted session leaves no files', async (t) => {
  const { storage, id, folder } = await openGitFixture(t);
  const clone = workingClone(t);
  addLargeCommit(clone);
  {
    await using session = await storage.writes.begin(id);
    await session.ingestPack(packOf(clone, ['HEAD']), { bytesMax: PACK_BYTES_MAX });
  }
  assert.deepEqual(readdirSync(join(folder, '07', '7.git', 'quarantine')), []);
  assert.deepEqual(readdirSync(join(folder, '07', '7.git', 'objects', 'pack')), []);
});

test('an empty pack is accepted, and no pack is stored for it', async (t) => {
  const { storage, id, folder } = await openGitFixture(t);
  const clone = workingClone(t);
  addLargeCommit(clone);
  const tip = await push(storage, id, clone);
  await using session = await storage.writes.begin(id);
  await session.ingestPack(packOf(clone, [tip, `^${tip}`]), { bytesMax: PACK_BYTES_MAX });
  await storage.writes.commit(session, [{ ref: 'refs/heads/other', old: null, new: tip }], NOTHING_MORE);

  const packs = readdirSync(join(folder, '07', '7.git', 'objects', 'pack'));
  assert.equal(packs.filter((name) => name.endsWith('.pack')).length, 1);
});

test('exactly a history that lacks a parent is disconnected', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const clone = workingClone(t);
  const [tip = '', parent = ''] = git(clone, ['rev-list', 'HEAD']).split('\n');
  const tree = git(clone, ['rev-parse', `${tip}^{tree}`]);
  git(clone, ['checkout', '-q', '--orphan', 'alone']);
  const whole = addCommit(clone, 'alone');
  const packOfTwo = () =>
    Readable.from([gitBytes(clone, ['pack-objects', '--stdout', '-q'], `${tip}\n${tree}\n${whole}\n`)]);

  await using strict = await storage.writes.begin(id);
  await assert.rejects(strict.ingestPack(packOfTwo(), { bytesMax: PACK_BYTES_MAX }), failureOf('invalid'));

  await using shallow = await storage.writes.begin(id);
  await shallow.ingestPack(packOfTwo(), { bytesMax: PACK_BYTES_MAX, shallow: [tip] });
  assert.deepEqual(await shallow.findDisconnected([whole, tip]), [tip]);
  assert.deepEqual(await shallow.findDisconnected([parent]), [parent]);
});

test('a broken pack is rejected and read to its end', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const clone = workingClone(t);
  const pack = Buffer.from(
    await packOf(clone, ['HEAD'])
      .toArray()
      .then((chunks) => Buffer.concat(chunks)),
  );
  pack[40] = (pack[40] ?? 0) ^ 0xff;
  let read = 0;
  const rest = Array.from({ length: 64 }, () => randomBytes(64 * 1024));
  const source = Readable.from([pack, ...rest], { objectMode: false, highWaterMark: 1 }).on(
    'data',
    (chunk: Buffer) => {
      read += chunk.length;
    },
  );
  source.pause();
  await using session = await storage.writes.begin(id);
  await assert.rejects(session.ingestPack(source, { bytesMax: PACK_BYTES_MAX }), failureOf('invalid'));
  assert.equal(read, pack.length + 64 * 64 * 1024);
});

test('a pack that is too large is rejected and read to its end', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const clone = workingClone(t);
  let read = 0;
  const pack = await packOf(clone, ['HEAD'])
    .toArray()
    .then((chunks) => Buffer.concat(chunks));
  const source = Readable.from(
    pack.length < 10 ? [] : [pack, ...Array.from({ length: 16 }, () => randomBytes(1000))],
  );
  source.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  source.pause();
  await using session = await storage.writes.begin(id);
  await assert.rejects(session.ingestPack(source, { bytesMax: 100 }), failureOf('too_large'));
  assert.equal(read, pack.length + 16_000);
});

test('a pack whose sender disconnects is rejected', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const source = new Readable({ read() {} });
  source.push(Buffer.from('PACK\0\0\0\x02\0\0\0\x05'));
  await using session = await storage.writes.begin(id);
  const ingest = session.ingestPack(source, { bytesMax: PACK_BYTES_MAX });
  setImmediate(() => source.destroy());
  await assert.rejects(ingest, failureOf('invalid'));
});

async function streamedBlob(session: WriteSession, oid: Oid): Promise<Buffer> {
  const { stream } = await session.objects.streamBlob(oid);
  return Buffer.concat(await stream.toArray());
}

test('a large blob is streamed, before and after the commit, and reading can stop early', async (t) => {
  const { storage, id, format } = await openGitFixture(t);
  const content = randomBytes(5 * 1024 * 1024);
  const oid = createHash(format).update(`blob ${content.length}\0`).update(content).digest('hex');
  await using session = await storage.writes.begin(id);
  await session.writeObjects([{ oid, type: 'blob', content }]);
  assert.ok((await streamedBlob(session, oid)).equals(content));
  await storage.writes.commit(session, [{ ref: 'refs/tags/blob', old: null, new: oid }], NOTHING_MORE);

  const snapshot = await storage.refs.open(id);
  assert.ok(
    Buffer.from(await snapshot.objects.readBlob(oid, { blobBytesMax: content.length })).equals(content),
  );
  await assert.rejects(
    snapshot.objects.readBlob(oid, { blobBytesMax: content.length - 1 }),
    failureOf('too_large'),
  );
  const { stream } = await snapshot.objects.streamBlob(oid);
  stream.destroy();
  assert.ok((await snapshot.objects.info(oid)) !== undefined);
});

test('upload-pack lists the refs in each protocol and ignores a malformed header', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const tip = await push(storage, id, workingClone(t));
  const advertise = async (protocol?: string) => {
    const { signal } = new AbortController();
    const { output, done } = await storage.transfers.serveFetch(id, {
      advertise: true,
      protocol,
      signal,
    });
    const all = await text(output.read());
    assert.equal((await done).exitCode, 0);
    return all;
  };

  assert.match(await advertise(), new RegExp(`${tip} HEAD`));
  assert.match(await advertise('version=1'), /^000eversion 1\n/);
  assert.match(await advertise('version=2'), /^000eversion 2\n/);
  assert.match(await advertise('version=2:evil=1'), new RegExp(`${tip} HEAD`));
});

test('upload-pack ends when its caller disconnects', async (t) => {
  const { storage, id } = await openGitFixture(t);
  await push(storage, id, workingClone(t));
  const caller = new AbortController();
  const input = new Readable({ read() {} });
  const { done } = await storage.transfers.serveFetch(id, {
    advertise: false,
    input,
    signal: caller.signal,
  });
  caller.abort();
  assert.equal((await done).exitCode, null);
});
