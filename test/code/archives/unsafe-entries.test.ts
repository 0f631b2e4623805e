import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startCrafting } from '../../threats/crafted.ts';
import { archiveOf, download } from './archives.ts';

const run = promisify(execFile);
const NOTICE = 'LEFT-OUT-OF-THIS-ARCHIVE.txt';

test('C2: an archive leaves out names that lead out of its folder on some system, and says so', async (t) => {
  const { forge, folder, crafter, push } = await startCrafting(t);
  const blob = await crafter.blob('x');
  const below = await crafter.tree([
    ['100644', 'D:y', blob],
    ['100644', 'fine: a colon', blob],
  ]);
  const tree = await crafter.tree([
    ['100644', 'C:\\x', blob],
    ['100644', '\\..\\x', blob],
    ['100644', 'fine', blob],
    ['40000', 'sub', below],
    ['40000', 'un\\safe', below],
  ]);
  await push({ main: tree });

  const { bytes, status } = await download(forge, archiveOf('ada/engine', 'main.tar.gz'));
  assert.equal(status, 200);
  const file = join(folder, 'engine.tar.gz');
  await writeFile(file, bytes);
  const { stdout } = await run('tar', ['-tzf', file]);
  assert.deepEqual(stdout.trim().split('\n').sort(), [
    'engine/',
    `engine/${NOTICE}`,
    'engine/fine',
    'engine/sub/',
    'engine/sub/fine: a colon',
  ]);
  const notice = (await run('tar', ['-xzOf', file, `engine/${NOTICE}`])).stdout;
  assert.deepEqual(
    notice
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line)),
    ['C:\\x', '\\..\\x', 'sub/D:y', 'un\\safe'],
  );
  const zip = await download(forge, archiveOf('ada/engine', 'main.zip'));
  assert.equal(zip.status, 200);
  const names = zip.bytes.toString('latin1');
  assert.ok(names.includes(NOTICE) && names.includes('engine/fine') && !names.includes('engine/\\..'));
});

test('C2: an archive leaves out unsafe names that are not UTF-8, and what is in them', async (t) => {
  const { forge, folder, crafter, push } = await startCrafting(t);
  const blob = await crafter.blob('x');
  const inner = await crafter.tree([['100644', 'f', blob]]);
  const tree = await crafter.tree([
    ['40000', Buffer.from('a*\\\xe9', 'latin1'), inner],
    ['100644', 'a*x', blob],
    ['100644', Buffer.from('caf\xe9', 'latin1'), blob],
  ]);
  await push({ main: tree });

  const { bytes } = await download(forge, archiveOf('ada/engine', 'main.tar.gz'));
  const file = join(folder, 'engine.tar.gz');
  await writeFile(file, bytes);
  const { stdout } = await run('tar', ['--quoting-style=c', '-tzf', file]);
  assert.deepEqual(
    stdout.trim().split('\n').sort(),
    ['engine/', `engine/${NOTICE}`, 'engine/a*x', 'engine/caf\\351'].map((name) => `"${name}"`).sort(),
  );
});

test('C2: a commit with very many such names gets no archive, and others have no notice', async (t) => {
  const { forge, crafter, push } = await startCrafting(t);
  const blob = await crafter.blob('x');
  const rows = Array.from({ length: 101 }, (_, each) => `\\${String(each).padStart(3, '0')}`);
  const many = await crafter.tree(rows.map((name) => ['100644', name, blob] as const));
  const plain = await crafter.tree([['100644', 'fine', blob]]);
  await push({ main: many, plain });
  assert.equal((await download(forge, archiveOf('ada/engine', 'main.zip'))).status, 422);
  const { bytes } = await download(forge, archiveOf('ada/engine', 'plain.zip'));
  assert.ok(!bytes.toString('latin1').includes(NOTICE));
  assert.equal((await download(forge, archiveOf('ada/engine', 'main.bundle'))).status, 200);
});
