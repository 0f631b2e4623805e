import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bytesOfName,
  bytesOfPath,
  isQuoted,
  nameOfBytes,
  pathOfBytes,
} from '../../../src/git/format/name-bytes.ts';
import { StoredTree } from '../../../src/git/format/stored-tree.ts';

// Runs once: no outcome depends on the database.

const TEXTS: readonly (readonly [bytes: Buffer, text: string])[] = [
  [Buffer.from('café.txt'), 'café.txt'],
  [Buffer.from('\ufffd'), '\ufffd'],
  [Buffer.from('caf\xe9.txt', 'latin1'), '"caf\\351.txt"'],
  [Buffer.from('\ufffd\xff', 'latin1'), '"\\375\\377"'],
  [Buffer.concat([Buffer.from('é'), Buffer.from([0xff])]), '"é\\377"'],
  [Buffer.from('a"\\\x01\xff', 'latin1'), '"a\\"\\\\\\001\\377"'],
  [Buffer.from('"quoted"'), '"quoted"'],
  [Buffer.from('"a\\b"'), '"a\\b"'],
  [Buffer.from('"caf\\303\\251"'), '"caf\\303\\251"'],
  [Buffer.from('"caf\\351"'), '"\\"caf\\\\351\\""'],
  // Surrogates, and characters that take more bytes than they need.
  [Buffer.from([0xed, 0xa0, 0x80]), '"\\355\\240\\200"'],
  [Buffer.from([0xc0, 0xaf]), '"\\300\\257"'],
];

test('a name that is not UTF-8 has the text that git prints, and a name that looks like one is quoted, too', () => {
  for (const [bytes, text] of TEXTS) {
    assert.equal(nameOfBytes(bytes), text);
    assert.deepEqual(bytesOfName(text), bytes);
    assert.equal(isQuoted(text), text !== bytes.toString() || !bytes.equals(Buffer.from(text)));
  }
});

const piece = fc.constantFrom(
  '"',
  '\\',
  '3',
  '51',
  'é',
  '\xe9',
  '\xff',
  'a',
  '\x01',
  '\ufffd',
  '\u{1f600}',
  '377',
);
const bytes = fc
  .array(
    fc.oneof(
      piece.map((text) => Buffer.from(text)),
      piece.map((text) => Buffer.from(text, 'latin1')),
    ),
  )
  .map((all) => Buffer.concat(all));

test('each name has a text of its own, from which its bytes can be read', () => {
  fc.assert(
    fc.property(bytes, (name) => {
      const text = nameOfBytes(name);
      assert.deepEqual(bytesOfName(text), name);
      assert.ok(text.isWellFormed());
      // A quoted name that is quoted again, as a name, has another text.
      const again = Buffer.from(text);
      assert.equal(nameOfBytes(again) === text, again.equals(name));
      assert.deepEqual(bytesOfName(nameOfBytes(again)), again);
    }),
    { numRuns: 2_000 },
  );
});

test('a path is the texts of its names', () => {
  fc.assert(
    fc.property(fc.array(bytes, { minLength: 1 }), (names) => {
      const path = Buffer.from(names.map((name) => name.toString('latin1')).join('/'), 'latin1');
      assert.equal(pathOfBytes(path), names.map((name) => nameOfBytes(name)).join('/'));
      assert.deepEqual(bytesOfPath(pathOfBytes(path)), path);
    }),
  );
});

test('a name of megabytes has a text at once, and no folder with it is written anew from texts', () => {
  const long = Buffer.alloc(8 * 1024 * 1024, 0xff);
  assert.equal(nameOfBytes(long).length, long.length);
  const quoted = `"${'\\377'.repeat(1_000_000)}"`;
  assert.equal(bytesOfName(quoted).length, 1_000_000);
  // An entry whose mode is written in an old way makes the folder be written anew.
  const entry = Buffer.concat([Buffer.from('0100644 '), long, Buffer.alloc(21)]);
  assert.throws(() => new StoredTree('sha1', entry).with(new Map()), /too long/);
});
