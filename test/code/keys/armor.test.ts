import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeArmor, encodeArmor } from '../../../src/code/keys/openpgp/armor.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { newGnupg } from '../../support/keys/gnupg.ts';
import { isInstalled } from '../../support/tools.ts';

// Runs once: no outcome depends on the database.

test('armor of any length has its content', () => {
  for (let length = 1; length <= 100; length += 1) {
    const bytes = Buffer.alloc(length, 'quire');
    assert.deepEqual(decodeArmor(encodeArmor(bytes, 'PGP SIGNATURE'), 'PGP SIGNATURE'), bytes);
  }
});

test('armor has its content for gpg', async (t) => {
  if (!(await isInstalled('gpg'))) return t.skip('gpg is not installed: apt-get install gnupg');
  const file = join(await temporaryFolder(t), 'armor');
  const { gpg } = await newGnupg(t);
  // Only whole groups of three bytes end without a mark.
  for (let length = 46; length <= 51; length += 1) {
    const bytes = Buffer.alloc(length, 'quire');
    await writeFile(file, encodeArmor(bytes, 'PGP SIGNATURE'));
    await gpg('--yes', '--output', `${file}.out`, '--dearmor', file);
    assert.deepEqual(await readFile(`${file}.out`), bytes);
  }
});
