import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { ObjectFormat } from '../../../src/git/format/model.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { PROCESS_SLOTS } from '../../../src/git/processes/process-slots.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { git, workingCopy } from '../../support/git/git.ts';
import { resourcesOf } from '../../support/git-folder.ts';
import { LISTS_OPEN_FILES, openFilesBelow } from '../../support/open-files.ts';
import { until } from '../../support/until.ts';
import { begin, type Download, download } from '../archives/archives.ts';
import { base64, contentsOf, pushedRepository, rawOf, writeFiles } from './files.ts';
import { folderOf, isDelta, looseFile, packFiles, watchReadings } from './stored-files.ts';

// Runs once: no outcome depends on the database.

const MIB = 1024 * 1024;
const LARGE = rawOf('ada/engine', 'large');

/** Half of it does not compress, and the other half does. */
function largeContent(): Buffer {
  const lines = Array.from({ length: 60_000 }, (_, number) => `line ${number} of a text\n`);
  return Buffer.concat([randomBytes(1.5 * MIB + 17), Buffer.from(lines.join(''))]);
}

/** Commits a large file over the API, which makes it a loose object. */
async function committedFile(t: TestContext, format: ObjectFormat = 'sha1') {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine', { object_format_name: format, auto_init: true });
  const large = largeContent();
  const created = await ada.post(contentsOf('ada/engine', 'large'), { content: base64(large) });
  assert.equal(created.status, 201);
  const oid: string = created.body.content.sha;
  const gitDir = await folderOf(forge, id);
  return { forge, ada, id, large, oid, gitDir, readings: watchReadings(t) };
}

/** Pushes a large file, which is whole in the only pack then. */
async function pushedFile(t: TestContext, large = largeContent(), options: { compression?: number } = {}) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder } = await pushedRepository(t, ada, 'engine', { large }, options);
  const { id } = (await ada.get('/api/v1/repos/ada/engine')).body;
  const gitDir = await folderOf(forge, id);
  const oid = await git(folder, ['rev-parse', 'main:large']);
  return { forge, ada, id, large, oid, gitDir, readings: watchReadings(t) };
}

/** Changes a byte of a file, counted from its end if the position is negative. */
async function breakByte(path: string, position: number): Promise<void> {
  await chmod(path, 0o600);
  await using file = await open(path, 'r+');
  const at = position < 0 ? (await file.stat()).size + position : position;
  const { buffer: byte } = await file.read(Buffer.alloc(1), { position: at });
  await file.write(Buffer.from([byte.readUInt8() ^ 0xff]), 0, 1, at);
}

async function middleOf(path: string): Promise<number> {
  return Math.floor((await stat(path)).size / 2);
}

/** Downloads a file that is broken. */
async function brokenDownload(forge: TestForge): Promise<'no response' | 'incomplete'> {
  const response = await begin(forge, LARGE);
  const whole = await buffer(response).then(
    () => true,
    () => false,
  );
  if (response.statusCode !== 200) return 'no response';
  assert.equal(whole, false, 'no one takes it for the whole file');
  return 'incomplete';
}

async function assertRanges(forge: TestForge, large: Buffer): Promise<void> {
  const end = large.length - 1;
  for (const [from, to] of [
    [0, 99],
    [large.length >> 1, (large.length >> 1) + 300_000],
    [end - 99, end],
  ] as const) {
    const part = await download(forge, LARGE, { headers: { range: `bytes=${from}-${to}` } });
    assert.equal(part.status, 206);
    assert.equal(part.headers['content-range'], `bytes ${from}-${to}/${large.length}`);
    assert.ok(part.bytes.equals(large.subarray(from, to + 1)), `${from}-${to}`);
  }
}

/** Headers that do not change between requests. */
function describedBy({ status, headers }: Download) {
  const { date: _date, 'x-request-id': _id, connection: _connection, ...lasting } = headers;
  return { status, ...lasting };
}

for (const format of ['sha1', 'sha256'] as const) {
  test(`a large file in a repository with ${format} is read without git, as a loose object and in a pack`, async (t) => {
    const { forge, id, large, oid, gitDir, readings } = await committedFile(t, format);
    const isLoose = () =>
      stat(looseFile(gitDir, oid)).then(
        () => true,
        () => false,
      );
    assert.ok(await isLoose());

    const loose = await download(forge, LARGE);
    assert.ok(loose.bytes.equals(large));
    assert.equal(loose.headers['content-length'], `${large.length}`);
    assert.equal(loose.headers.etag, `"${oid}"`);
    await assertRanges(forge, large);

    await forge.forge.running.engines.git.upkeep.maintain(id, 'repack');
    assert.equal(await isLoose(), false);
    const packed = await download(forge, LARGE);
    assert.ok(packed.bytes.equals(large));
    assert.deepEqual(describedBy(packed), describedBy(loose));
    await assertRanges(forge, large);
    const head = await download(forge, LARGE, { method: 'HEAD' });
    assert.deepEqual([describedBy(head), head.bytes.length], [describedBy(loose), 0]);

    assert.equal(readings(), 0);
  });
}

test('a large file beyond the first 2 GiB of a pack, as its index says it, is read without git', async (t) => {
  const { forge, large, gitDir, readings } = await pushedFile(t);
  const [pack = ''] = await packFiles(gitDir, '.pack');
  const index = pack.replace(/pack$/, 'idx');
  await rm(index);
  // Offsets from this one on, all but the first, have 64 bits in the index.
  await git(gitDir, ['index-pack', '--index-version=2,0xd', '-o', index, pack]);

  assert.ok((await download(forge, LARGE)).bytes.equals(large));
  assert.equal(readings(), 0);
});

test('git reads a large file that is stored as a difference, or found by an index of another version', async (t) => {
  const { forge, ada, gitDir, readings } = await pushedFile(t);
  const content = randomBytes(2 * MIB);
  const { folder } = await workOn(t, ada.remote('ada/engine'));
  // git makes the smaller one of two similar files a difference to the larger one.
  await writeFiles(folder, { large: content, larger: Buffer.concat([content, randomBytes(1000)]) });
  await git(folder, ['add', '-A']);
  await git(folder, ['commit', '-q', '-m', 'Similar files']);
  await git(folder, ['push', '-q', 'origin', 'main']);
  assert.ok(await isDelta(gitDir, await git(folder, ['rev-parse', 'main:large'])));

  assert.ok((await download(forge, LARGE)).bytes.equals(content));
  await assertRanges(forge, content);
  assert.equal(readings(), 4);

  for (const index of await packFiles(gitDir, '.idx')) {
    await rm(index);
    await git(gitDir, ['index-pack', '--index-version=1', '-o', index, index.replace(/idx$/, 'pack')]);
  }
  assert.ok(
    (await download(forge, rawOf('ada/engine', 'larger'))).bytes.subarray(0, content.length).equals(content),
  );
  assert.equal(readings(), 5);
});

async function workOn(t: TestContext, remote: string): Promise<{ folder: string }> {
  const folder = await workingCopy(t);
  await git(folder, ['remote', 'add', 'origin', remote]);
  await git(folder, ['pull', '-q', 'origin', 'main']);
  return { folder };
}

test('a large file is found when a repack has deleted a pack, or deletes packs meanwhile', async (t) => {
  const { forge, ada, id, large, gitDir, readings } = await pushedFile(t);
  for (const index of await packFiles(gitDir, '.idx'))
    await copyFile(index, join(gitDir, 'objects', 'pack', `pack-${'0'.repeat(40)}.idx`));
  assert.ok((await download(forge, LARGE)).bytes.equals(large));
  assert.equal(readings(), 0);
  await rm(join(gitDir, 'objects', 'pack', `pack-${'0'.repeat(40)}.idx`));

  const storage = forge.forge.running.engines.git;
  for (let round = 1; round <= 3; round += 1) {
    await ada.post(contentsOf('ada/engine', `file-${round}`), { content: base64(randomBytes(2 * MIB)) });
    const repacked = storage.upkeep.maintain(id, 'repack');
    const read = await Promise.all([1, 2, 3].map(() => download(forge, LARGE)));
    await repacked;
    for (const { bytes } of read) assert.ok(bytes.equals(large), `round ${round}`);
  }
});

test('a reader keeps its large file when the pack is deleted, and a reader that leaves closes it', {
  skip: !LISTS_OPEN_FILES && 'this operating system does not list open files',
}, async (t) => {
  const { forge, large, gitDir } = await pushedFile(t, randomBytes(12 * MIB), { compression: 0 });
  const { spools } = resourcesOf(forge.forge.running.engines.git);
  // A slow reader has no file for the rest, so the pack stays open.
  while (spools.room.running < GIT_LIMITS.spoolMibMax)
    await spools.room.enter({ units: Math.min(1024, GIT_LIMITS.spoolMibMax - spools.room.running) });
  const packs = () => openFilesBelow(join(gitDir, 'objects'));
  const staying = await begin(forge, LARGE);
  assert.equal((await packs()).length, 1);
  const leaving = await begin(forge, LARGE, { headers: { range: 'bytes=1000-' } });
  leaving.destroy();

  for (const file of await packFiles(gitDir, '')) await rm(file);
  assert.ok((await buffer(staying)).equals(large));

  await until(async () => (await packs()).length === 0 && PROCESS_SLOTS.stream.running === 0);
});

test('HEAD, a range at the start, and a reader that leaves at once leave no file open', {
  skip: !LISTS_OPEN_FILES && 'this operating system does not list open files',
}, async (t) => {
  const { forge, gitDir } = await pushedFile(t, randomBytes(12 * MIB), { compression: 0 });
  for (const options of [{ method: 'HEAD' }, { headers: { range: 'bytes=0-9' } }])
    await download(forge, LARGE, options);
  (await begin(forge, LARGE)).destroy();
  await until(async () => {
    const open = await openFilesBelow(join(gitDir, 'objects'));
    return open.length === 0 && PROCESS_SLOTS.stream.running === 0;
  });
});

test('a broken large file is never sent as a whole one', async (t) => {
  await t.test('in a pack', async (t) => {
    const { forge, gitDir, readings } = await pushedFile(t, randomBytes(3 * MIB), { compression: 0 });
    const [pack = ''] = await packFiles(gitDir, '.pack');
    await breakByte(pack, await middleOf(pack));
    assert.equal(await brokenDownload(forge), 'incomplete');
    assert.equal(readings(), 0);
    assert.equal(await brokenDownload(forge), 'no response', 'git says what is wrong');
    assert.equal(readings(), 1);
  });

  await t.test('as a loose object whose checksum is wrong', async (t) => {
    const { forge, gitDir, oid } = await committedFile(t);
    await breakByte(looseFile(gitDir, oid), -1);
    assert.equal(await brokenDownload(forge), 'incomplete');
  });

  await t.test('as a loose object that is cut off', async (t) => {
    const { forge, gitDir, oid } = await committedFile(t);
    const path = looseFile(gitDir, oid);
    await chmod(path, 0o600);
    await using file = await open(path, 'r+');
    await file.truncate(await middleOf(path));
    assert.equal(await brokenDownload(forge), 'incomplete');
  });

  await t.test('with a broken start, about which git decides', async (t) => {
    const { forge, gitDir, oid, readings } = await committedFile(t);
    await breakByte(looseFile(gitDir, oid), 0);
    assert.equal(await brokenDownload(forge), 'no response');
    assert.equal(readings(), 1);
  });
});

test('git finds another copy of a large file after one was found broken', async (t) => {
  const { forge, id, large, oid, gitDir, readings } = await committedFile(t);
  const path = looseFile(gitDir, oid);
  await copyFile(path, join(gitDir, 'kept'));
  await forge.forge.running.engines.git.upkeep.maintain(id, 'repack');
  await mkdir(dirname(path), { recursive: true });
  await rename(join(gitDir, 'kept'), path);
  await breakByte(path, -1);

  assert.equal(await brokenDownload(forge), 'incomplete');
  assert.ok((await download(forge, LARGE)).bytes.equals(large));
  assert.equal(readings(), 1);
});
