import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { isMadeToCollide } from '../../src/git/objects/sha1-attacks.ts';

// Runs once: no outcome depends on the database.

/** The first bytes of the two files that Stevens, Bursztein, Karpman, Albertini and Markov published in 2017. */
const PREFIX = `255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f486569676874203320
302052 2f547970652034203020522f537562747970652035203020522f46696c7465722036203020522f436f6c6f725370616365
2037203020522f4c656e6774682038203020522f42697473506572436f6d706f6e656e7420383e3e0a73747265616d0affd8fffe
00245348412d3120697320646561642121212121852fec092339759c39b1a1c63c4c97e1fffe01`;
const HALVES = [
  `7f46dc93a6b67e013b029aaa1db2560b45ca67d688c7f84b8c4c791fe02b3df614f86db1690901c56b45c1530afedfb7
6038e972722fe7ad728f0e4904e046c230570fe9d41398abe12ef5bc942be33542a4802d98b5d70f2a332ec37fac3514
e74ddc0f2cc1a874cd0c78305a21566461309789606bd0bf3f98cda8044629a1`,
  `7346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c79030c2b3de218f86db3a90901d5df45c14f26fedfb3
dc38e96ac22fe7bd728f0e45bce046d23c570feb141398bb552ef5a0a82be331fea48037b8b5d71f0e332edf93ac3500
eb4ddc0decc1a864790c782c76215660dd309791d06bd0af3f98cda4bc4629b1`,
];

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');
}

const MADE = HALVES.map((half) => Buffer.concat([bytesOf(PREFIX), bytesOf(half)]));

test('both halves of a published collision of SHA-1 are recognized, with anything after them', () => {
  const ids = MADE.map((message) => createHash('sha1').update(message).digest('hex'));
  assert.equal(ids[0], ids[1]);
  for (const message of MADE) {
    assert.ok(!message.equals(MADE[1 - MADE.indexOf(message)] ?? message));
    assert.equal(isMadeToCollide([message]), true);
    assert.equal(
      isMadeToCollide([message.subarray(0, 100), message.subarray(100), Buffer.from('more')]),
      true,
    );
  }
});

test('messages of every length that are not made to collide pass', () => {
  for (const message of MADE) assert.equal(isMadeToCollide([message.subarray(0, -1)]), false);
  for (let length = 0; length < 200; length += 1)
    assert.equal(isMadeToCollide([Buffer.alloc(length, `${length}`)]), false, `${length} bytes`);
});
