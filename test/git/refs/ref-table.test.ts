import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareNames } from '../../../src/git/format/ref-names.ts';
import { formatPackedRefs, parsePackedRefs } from '../../../src/git/refs/packed-refs.ts';
import { type Ref, RefTable } from '../../../src/git/refs/ref-table.ts';

// Runs once: no outcome depends on the database.

const names = fc
  .array(fc.constantFrom('a', 'b', '/', '-', '.', '0', 'é', '\uffee', '😀'), { maxLength: 5 })
  .map((all) => all.join(''));
const changes = fc.array(fc.tuple(names, fc.option(fc.constantFrom('1', '2', '3'))), { maxLength: 100 });

test('names sort by their bytes', () => {
  fc.assert(
    fc.property(names, names, (a, b) => {
      assert.equal(Math.sign(compareNames(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('after any series of changes, a table equals a plain map, and earlier tables stay the same', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), names, (versions, prefix) => {
      let table = RefTable.EMPTY;
      const expected = new Map<string, string>();
      for (const version of versions) {
        const before = [...table.entries('')];
        const older = table;
        table = table.with(
          new Map(version.map(([name, oid]) => [name, oid === null ? null : { oid, peeled: null }])),
        );
        for (const [name, oid] of version) {
          if (oid === null) expected.delete(name);
          else expected.set(name, oid);
        }
        assert.deepEqual([...older.entries('')], before);
      }
      const listed = [...table.entries(prefix)].map(([name, { oid }]) => [name, oid]);
      const sorted = [...expected]
        .filter(([name]) => name.startsWith(prefix))
        .sort(([a], [b]) => compareNames(a, b));
      assert.deepEqual(listed, sorted);
      assert.equal(table.count(prefix), sorted.length);
      const targets = new Set(expected.values());
      for (const oid of ['1', '2', '3']) assert.equal(table.hasTarget(oid), targets.has(oid));
    }),
  );
});

test('packed refs are parsed as they were formatted, with their version and HEAD', () => {
  const refs = new Map<string, Ref>([
    ['refs/heads/main', { oid: '1'.repeat(40), peeled: null }],
    ['refs/tags/v1', { oid: '2'.repeat(40), peeled: '1'.repeat(40) }],
  ]);
  const table = RefTable.EMPTY.with(refs);
  const text = formatPackedRefs({
    version: 12,
    format: 'sha1',
    head: 'refs/heads/main',
    pruneGen: 0,
    refs: table,
  });
  const read = parsePackedRefs(text);
  assert.deepEqual([read.version, read.head], [12, 'refs/heads/main']);
  assert.deepEqual(new Map(read.refs), refs);
  assert.equal(parsePackedRefs(`${'1'.repeat(40)} refs/heads/a\n`).refs.size, 1);
});
