import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { codeOfPrinted, isDiskFull } from '../../../src/base/core/files/disk-full.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { GitFailedError } from '../../../src/git/processes/git-failed-error.ts';
import { afterTest } from '../../support/after-test.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { NotesApp } from '../../support/forge/notes.ts';
import { commitAll, git, refsOf, tryGit, workingCopy } from '../../support/git/git.ts';

const MIB = 1024 * 1024;

/**
 * Starts a forge with its data on a file system of a few MiB. Returns undefined if this user may not mount one, as only
 * root may.
 */
async function forgeOnSmallDisk(t: TestContext, mib: number): Promise<TestForge | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const unmount = () => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  };
  try {
    return await startForge(t, { dataFolder: folder });
  } finally {
    // Hooks run in this order, so the forge has stopped before.
    afterTest(t, unmount);
  }
}

/** Writes a file until nothing more fits. Returns its path. */
function fillDisk(folder: string): string {
  const path = join(folder, 'filler');
  for (const bytes of [MIB, 4096, 1]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // No more pieces of this size fit.
    }
  }
  return path;
}

test('a full disk is reported with a reason on each wire, and writes succeed again afterwards', async (t) => {
  const forge = await forgeOnSmallDisk(t, 64);
  if (forge === undefined) return t.skip('this user may not mount a file system');
  const disk = forge.forge.dataFolder;
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const notes = new NotesApp(forge, ada);
  assert.equal((await notes.send('POST', '', { json: { content: 'first' } })).status, 200);
  const work = await workingCopy(t);
  await writeFile(join(work, 'random'), randomBytes(2 * MIB));
  await commitAll(work, 'large');
  const push = () => tryGit(work, ['push', '-q', ada.remote('ada/engine'), 'main:large']);
  const create = () =>
    ada.post('/api/v1/repos/ada/engine/contents/file', {
      content: randomBytes(100_000).toString('base64'),
    });

  const releases = '/api/v1/repos/ada/engine/releases';
  const { id } = (await ada.post(releases, { tag_name: 'v1' })).body;
  const upload = () =>
    ada.send('POST', `${releases}/${id}/assets?name=large.bin`, {
      body: new Uint8Array(2 * MIB),
      headers: { 'content-type': 'application/octet-stream' },
    });

  const filler = fillDisk(disk);
  const pushed = await push();
  assert.match(pushed.stderr, /unpack failed: the disk of the server is full/);
  const created = await create();
  assert.equal(created.status, 507, created.text);
  assert.match(created.body.message, /the disk of the server is full/);
  // A small note is a row of the database, which may be on another disk.
  const content = randomBytes(GIT_LIMITS.freshObjectsBytesMax).toString('hex');
  const note = await notes.send('POST', '', { json: { content } });
  assert.equal(note.status, 507, note.text);
  assert.deepEqual(note.body, { errorType: 'Exception' });
  const asset = await upload();
  assert.equal(asset.status, 507, asset.text);

  rmSync(filler);
  assert.equal((await push()).exitCode, 0);
  assert.equal((await create()).status, 201);
  assert.equal((await upload()).status, 201);
  assert.equal((await ada.get(`${releases}/${id}`)).body.assets.length, 1);
  assert.equal((await refsOf(work, ada.remote('ada/engine'))).length, 3);
  await git(work, ['fetch', '-q', ada.remote('ada/engine'), 'main']);
});

test('a full disk is recognized in errors of the system, both databases and git, also as a cause', () => {
  const errorWith = (fields: object) => Object.assign(new Error('failed'), fields);
  const full = [
    errorWith({ code: 'ENOSPC' }),
    errorWith({ code: 'EDQUOT' }),
    errorWith({ code: 'ERR_SQLITE_ERROR', errcode: 13 }),
    errorWith({ code: '53100' }),
    new GitFailedError('index-pack', {
      exitCode: 128,
      stderr: 'fatal: write error: No space left on device',
    }),
    new Error('outer', { cause: errorWith({ code: 'ENOSPC' }) }),
  ];
  for (const error of full) assert.equal(isDiskFull(error), true, error.message);
  for (const error of [errorWith({ code: 'ENOENT' }), errorWith({ errcode: 13 }), 'ENOSPC', undefined]) {
    assert.equal(isDiskFull(error), false);
  }
  assert.equal(codeOfPrinted('fatal: early EOF'), undefined);
});
