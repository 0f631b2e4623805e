import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { DiffText } from '../../../src/git/interface/history.ts';
import { git, gitBytes } from '../git-fixture.ts';
import { Random } from '../merges/random-merges.ts';
import { editedFiles, importVersions, randomFiles } from './random-files.ts';

// Runs once: no outcome depends on the database.

test('git applies a diff with binary files, and otherwise they are only named', async (t) => {
  const random = new Random(7);
  const first = new Map([...randomFiles(random), ['picture', { mode: '100644', text: 'GIF\0one' }]]);
  const second = new Map([...editedFiles(random, first), ['picture', { mode: '100644', text: 'GIF\0two' }]]);
  const { storage, gitFolder, commits, oids } = await importVersions(t, [first, second]);
  const [from, to] = commits;
  const [before = '', after = ''] = oids;
  assert.ok(from !== undefined && to !== undefined);
  const textOf = async (text: DiffText) => {
    const stream = await storage.history.streamDiff(text, AbortSignal.any([]));
    return Buffer.concat(await Readable.from(stream).toArray());
  };

  const named = await textOf({ kind: 'diff', from, to });
  const whole = await textOf({ kind: 'diff', from, to, binary: true });

  assert.deepEqual(named, gitBytes(gitFolder, ['diff-tree', '-r', '-p', '-M', before, after]));
  assert.match(named.toString('latin1'), /^Binary files a\/picture and b\/picture differ$/m);
  assert.doesNotMatch(whole.toString('latin1'), /^Binary files /m);
  git(gitFolder, ['read-tree', before]);
  git(gitFolder, ['apply', '--cached', '--whitespace=nowarn', '-'], whole);
  assert.equal(git(gitFolder, ['write-tree']), git(gitFolder, ['rev-parse', `${after}^{tree}`]));
});
