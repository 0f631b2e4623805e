import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeDurably } from '../../../src/base/core/files/durable-files.ts';
import { CORE_LIMITS } from '../../../src/base/core/limits.ts';
import { afterTest } from '../../support/after-test.ts';

// Runs once: no outcome depends on the database.

const MODE = { mode: 0o600 };

async function* chunksOf(content: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield content.subarray(at, at + size);
    at += size;
  }
}

test('a file is written completely, whatever the sizes of its chunks are', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-durable-'));
  afterTest(t, () => rm(folder, { recursive: true }));
  const once = CORE_LIMITS.bytesWrittenAtOnce;
  const cases = [
    [],
    [0],
    [1],
    [once],
    [once - 1, 1],
    [once, once],
    [3 * once + 1, 0, 5],
    Array(300).fill(1_000),
    // Long enough for syncs while more arrives.
    Array(Math.ceil((2 * CORE_LIMITS.bytesBetweenSyncs) / once) + 1).fill(once),
  ];
  for (const [index, sizes] of cases.entries()) {
    const content = randomBytes(sizes.reduce((sum: number, size: number) => sum + size, 0));
    const path = join(folder, String(index));

    await writeDurably(path, chunksOf(content, sizes), MODE);

    assert.ok((await readFile(path)).equals(content), sizes.join());
  }
});

test('an error of the content is that of the write', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-durable-'));
  afterTest(t, () => rm(folder, { recursive: true }));
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield randomBytes(CORE_LIMITS.bytesWrittenAtOnce);
    yield randomBytes(CORE_LIMITS.bytesBetweenSyncs);
    throw new Error('the client disconnected');
  }

  await assert.rejects(writeDurably(join(folder, 'a'), broken(), MODE), /the client disconnected/);
});
