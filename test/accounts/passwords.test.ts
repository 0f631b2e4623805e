import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashesAtOnce, PasswordHashing } from '../../src/accounts/hash-password.ts';
import { readConfig } from '../../src/app/config.ts';
import { TEST_PASSWORD_COST } from '../../testing/index.ts';

const FULL_COST = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

test('a server hashes passwords at the full cost, and no setting lowers it', () => {
  const environment = { QUIRE_PASSWORD_COST: '1', QUIRE_TEST_PASSWORD_COST: '1' };

  assert.deepEqual(readConfig({}, environment).passwordHashing.cost, { memoryKib: 19 * 1024, passes: 2 });
});

test('a hash names its cost and verifies only its own password', async () => {
  const hashing = new PasswordHashing();
  const hash = await hashing.hash('correct horse');

  assert.match(hash, FULL_COST);
  assert.equal(await hashing.verify('correct horse', hash), true);
  assert.equal(await hashing.verify('incorrect horse', hash), false);
  assert.equal(await hashing.verify('correct horse', null), false);
  assert.equal(await hashing.verify('correct horse', 'not a hash'), false);
});

test('the number of hashes at once grows with the cores, within the threads and a limit', () => {
  const numbers = [
    [1, 4],
    [2, 4],
    [8, 4],
    [4, 8],
    [16, 12],
    [64, 128],
    [8, 1],
  ].map(([cores = 0, threads = 0]) => hashesAtOnce({ cores, threads }));

  assert.deepEqual(numbers, [1, 2, 2, 4, 8, 8, 1]);
});

test('a hash of another cost still verifies', async () => {
  const hash = await new PasswordHashing({ cost: TEST_PASSWORD_COST }).hash('correct horse');

  assert.equal(await new PasswordHashing().verify('correct horse', hash), true);
});
