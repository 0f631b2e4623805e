import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TreeEntry } from '../../../src/git/format/model.ts';
import { StoredTree } from '../../../src/git/format/stored-tree.ts';
import { encodeTree } from '../../../src/git/format/tree-format.ts';
import { changedEntries } from '../../../src/git/trees/changed-entries.ts';

// Runs once: no outcome depends on the database.

const OIDS = ['a'.repeat(40), 'b'.repeat(40)] as const;
/** Names that sort in another order as folders, begin with each other, or are not in ASCII. */
const NAMES = ['a', 'a-', 'a.b', 'a0', 'ab', 'b', 'ä', '\ufffd', '\u{1f600}', '\uff5e'] as const;
const BYTES = Uint8Array.from([0x61, 0xff]);

const entry = fc.record({
  mode: fc.constantFrom('100644', '100755', '120000', '160000', '040000'),
  name: fc.constantFrom(...NAMES),
  oid: fc.constantFrom(...OIDS),
}) satisfies fc.Arbitrary<TreeEntry>;
const odd: TreeEntry = { mode: '100644', name: '"a\\377"', oid: OIDS[0] };
const entries = fc
  .tuple(fc.uniqueArray(entry, { selector: ({ name }) => name }), fc.boolean())
  .map(([some, hasOdd]): readonly TreeEntry[] => (hasOdd ? [...some, odd] : some));

/** Encodes entries in the given order and with old modes, as broken tools did. */
function brokenTree(all: readonly TreeEntry[]): StoredTree {
  const pieces = all.map((one) =>
    encodeTree('sha1', [one])
      .toString('latin1')
      .replace(/^100644/, '0100664'),
  );
  return new StoredTree('sha1', Buffer.from(pieces.join(''), 'latin1'));
}

const trees = entries.chain((all) =>
  fc.constantFrom(new StoredTree('sha1', encodeTree('sha1', all)), brokenTree(all)),
);

test('an entry is found by its name as in a list of all entries', () => {
  fc.assert(
    fc.property(trees, (tree) => {
      for (const name of [...NAMES, 'missing', '', '\ud800']) {
        const expected = tree.entries.find((each) => each.name === name);
        assert.deepEqual(tree.find(name), expected);
      }
      const expected = tree.entries.find(({ name }) => name === odd.name);
      assert.deepEqual(tree.find(BYTES), expected);
      assert.deepEqual(tree.find(odd.name), expected);
    }),
  );
});

test('a changed tree has the bytes that its entries have when they are encoded anew', () => {
  const changes = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.option(entry)), { maxLength: 6 });
  fc.assert(
    fc.property(trees, changes, (tree, all) => {
      const changed = new Map(all.map(([name, to]) => [name, to === null ? null : { ...to, name }]));
      const expected = new Map(tree.entries.map((each) => [each.name, each]));
      for (const [name, to] of changed) {
        if (to === null) expected.delete(name);
        else expected.set(name, to);
      }
      assert.deepEqual(tree.with(changed), encodeTree('sha1', [...expected.values()]));
    }),
  );
});

test('two trees differ at the names at which maps of their entries differ, in the same order', () => {
  const maybe = fc.option(trees);
  fc.assert(
    fc.property(maybe, maybe, (before, after) => {
      const [old, fresh] = [before, after].map(
        (tree) => new Map((tree?.entries ?? []).map((each) => [each.name, each])),
      );
      const expected = [...new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])])]
        .map((key) => [old?.get(key), fresh?.get(key)])
        .filter(([one, other]) => one?.oid !== other?.oid || one?.mode !== other?.mode);
      const found = changedEntries(before, after);
      assert.deepEqual(
        found.map((change) => [change.before, change.after]),
        expected,
      );
      for (const change of found) assert.equal(change.either, change.after ?? change.before);
    }),
  );
});

test('a broken tree with a file and a folder of one name has one of them after a change', () => {
  const file: TreeEntry = { mode: '100644', name: 'a', oid: OIDS[0] };
  const folder: TreeEntry = { mode: '040000', name: 'a', oid: OIDS[0] };
  const between: TreeEntry = { mode: '100644', name: 'a.b', oid: OIDS[0] };
  const broken = Buffer.concat([file, between, folder].map((one) => encodeTree('sha1', [one])));
  const tree = new StoredTree('sha1', broken);
  assert.deepEqual(tree.find('a'), file);
  const link: TreeEntry = { mode: '120000', name: 'a', oid: OIDS[1] };
  assert.deepEqual(tree.with(new Map([['a', link]])), encodeTree('sha1', [link, between]));
  assert.deepEqual(tree.with(new Map([['a', null]])), encodeTree('sha1', [between]));
});

test('a new entry needs a valid name and an object id', () => {
  const tree = new StoredTree('sha1', encodeTree('sha1', [{ mode: '100644', name: 'a', oid: OIDS[0] }]));
  const bad: readonly TreeEntry[] = [
    { mode: '100644', name: '', oid: OIDS[0] },
    { mode: '100644', name: 'b/c', oid: OIDS[0] },
    { mode: '100644', name: 'b', oid: 'b' },
  ];
  for (const one of bad) assert.throws(() => tree.with(new Map([[one.name, one]])), { name: 'ForgeError' });
});
