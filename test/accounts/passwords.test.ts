import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD_COST, PasswordHashing } from '../../src/accounts/hash-password.ts';
import { readConfig } from '../../src/app/config.ts';
import { TEST_PASSWORD_COST } from '../../testing/index.ts';

const FULL_COST = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

test('a server hashes passwords at the full cost, and no setting lowers it', () => {
  const environment = { QUIRE_PASSWORD_COST: '1', QUIRE_TEST_PASSWORD_COST: '1' };

  assert.deepEqual(readConfig({}, environment).passwordCost, { memoryKib: 19 * 1024, passes: 2 });
});

test('a hash names its cost and verifies only its own password', async () => {
  const hashing = new PasswordHashing(PASSWORD_COST);
  const hash = await hashing.hash('correct horse');

  assert.match(hash, FULL_COST);
  assert.equal(await hashing.verify('correct horse', hash), true);
  assert.equal(await hashing.verify('incorrect horse', hash), false);
  assert.equal(await hashing.verify('correct horse', null), false);
  assert.equal(await hashing.verify('correct horse', 'not a hash'), false);
});

test('the full cost is the default', async () => {
  assert.match(await new PasswordHashing().hash('correct horse'), FULL_COST);
});

test('a hash of another cost still verifies', async () => {
  const hash = await new PasswordHashing(TEST_PASSWORD_COST).hash('correct horse');

  assert.equal(await new PasswordHashing(PASSWORD_COST).verify('correct horse', hash), true);
});
