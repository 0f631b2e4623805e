import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeArmor, encodeArmor } from '../../../src/code/keys/openpgp/armor.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { newGnupg } from '../../support/keys/gnupg.ts';
import { isInstalled } from '../../support/tools.ts';

// Runs once: no outcome depends on the database.

test('armor of any length has its content for the server and for gpg', async (t) => {
  const file = join(await temporaryFolder(t), 'armor');
  const isGpgHere = await isInstalled('gpg');
  const { gpg } = await newGnupg(t);
  for (let length = 1; length <= 100; length += 1) {
    const bytes = Buffer.alloc(length, 'quire');
    const text = encodeArmor(bytes, 'PGP SIGNATURE');
    assert.deepEqual(decodeArmor(text, 'PGP SIGNATURE'), bytes);
    // Only whole groups of three bytes end without a mark.
    if (!isGpgHere || length < 46 || length > 51) continue;
    await writeFile(file, text);
    await gpg('--yes', '--output', `${file}.out`, '--dearmor', file);
    assert.equal(
      (await gpg('--enarmor', '--output', '-', `${file}.out`)).includes(
        bytes.toString('base64').slice(0, 60),
      ),
      true,
    );
  }
});
