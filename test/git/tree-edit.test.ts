import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { notFound } from '../../src/base/core/failure.ts';
import { newObject } from '../../src/git/format/new-object.ts';
import { emptyTreeOid } from '../../src/git/format/object-format.ts';
import { StoredTree } from '../../src/git/format/stored-tree.ts';
import { encodeTree } from '../../src/git/format/tree-format.ts';
import { GIT_LIMITS } from '../../src/git/limits.ts';
import type { GitObject, ObjectReader, Oid, TreeEntry } from '../../src/git/model.ts';
import { editTree, findEntry, type TreeEdit } from '../../src/git/objects/tree-edit.ts';

const BLOB = newObject('sha1', 'blob', Buffer.from('x')).oid;
const OTHER = newObject('sha1', 'blob', Buffer.from('y')).oid;

/** Stores trees in memory and records which are read. */
class Trees {
  readonly #trees = new Map<Oid, StoredTree>();
  readonly read: Oid[] = [];

  add(objects: readonly GitObject[]): void {
    for (const { oid, content } of objects) this.#trees.set(oid, new StoredTree('sha1', content));
  }

  put(entries: readonly TreeEntry[]): Oid {
    const tree = newObject('sha1', 'tree', encodeTree('sha1', entries));
    this.add([tree]);
    return tree.oid;
  }

  get reader(): ObjectReader {
    const openTree = async (oid: Oid) => {
      this.read.push(oid);
      const tree = this.#trees.get(oid);
      if (tree === undefined) throw notFound(`no tree ${oid}`);
      return tree;
    };
    const readTree = async (oid: Oid) => (await openTree(oid)).entries;
    return { openTree, readTree } as unknown as ObjectReader;
  }

  async edit(root: Oid | null, edits: readonly TreeEdit[]): Promise<Oid> {
    const edited = await editTree(this.reader, 'sha1', root, edits);
    this.add(edited.objects);
    return edited.root;
  }

  async files(root: Oid, prefix = ''): Promise<Record<string, Oid>> {
    const all: Record<string, Oid> = {};
    if (root === emptyTreeOid('sha1')) return all;
    for (const { mode, name, oid } of await this.reader.readTree(root)) {
      if (mode === '040000') Object.assign(all, await this.files(oid, `${prefix}${name}/`));
      else all[prefix + name] = oid;
    }
    return all;
  }
}

const put = (path: string, oid = BLOB): TreeEdit => ({ kind: 'put', path, oid, mode: '100644' });
const remove = (path: string): TreeEdit => ({ kind: 'remove', path });

test('one edit puts files into new and existing folders', async () => {
  const trees = new Trees();
  const root = await trees.edit(null, [put('a/b/c'), put('a/d'), put('e')]);
  const next = await trees.edit(root, [put('a/b/c', OTHER), put('f/g')]);
  assert.deepEqual(await trees.files(next), { 'a/b/c': OTHER, 'a/d': BLOB, e: BLOB, 'f/g': BLOB });
});

test('an edit reads only the folders of its paths and creates only changed trees', async () => {
  const trees = new Trees();
  const root = await trees.edit(null, [put('a/b/c'), put('x/y/z'), put('q/r')]);
  trees.read.length = 0;
  const { objects } = await editTree(trees.reader, 'sha1', root, [put('a/b/c', OTHER)]);
  assert.equal(trees.read.length, 3);
  assert.equal(objects.length, 3);
  const same = await editTree(trees.reader, 'sha1', root, [put('a/b/c')]);
  assert.deepEqual([same.root, same.objects], [root, []]);
});

test('removing the last file of a folder removes the folder and its empty parents', async () => {
  const trees = new Trees();
  const root = await trees.edit(null, [put('a/b/c/d'), put('a/e')]);
  const next = await trees.edit(root, [remove('a/b/c/d')]);
  assert.deepEqual(await findEntry(trees.reader, next, 'a/b'), undefined);
  const last = await trees.edit(next, [remove('a/e')]);
  assert.equal(last, emptyTreeOid('sha1'));
});

test('renaming the only file of a folder keeps the folder', async () => {
  const trees = new Trees();
  const root = await trees.edit(null, [put('a/old')]);
  const next = await trees.edit(root, [remove('a/old'), put('a/new')]);
  assert.deepEqual(await trees.files(next), { 'a/new': BLOB });
});

test('a file can become a folder, and a folder a file, if the old entry is removed first', async () => {
  const trees = new Trees();
  const root = await trees.edit(null, [put('a'), put('b/c')]);
  const next = await trees.edit(root, [remove('a'), put('a/x'), remove('b'), put('b')]);
  assert.deepEqual(await trees.files(next), { 'a/x': BLOB, b: BLOB });
});

for (const [what, mode] of [
  ['a symlink', '120000'],
  ['a file', '100644'],
  ['a submodule', '160000'],
] as const) {
  test(`C3: nothing is written or removed below ${what}`, async () => {
    const trees = new Trees();
    const root = trees.put([{ mode, name: 'link', oid: BLOB }]);
    await assert.rejects(trees.edit(root, [put('link/x')]), /leads through link/);
    await assert.rejects(trees.edit(root, [put('link/x/y')]), /leads through link/);
    await assert.rejects(trees.edit(root, [remove('link/x')]), /leads through link/);
    assert.equal(await findEntry(trees.reader, root, 'link/x'), undefined);
  });
}

test('C3: nothing is written below a link that the same edit creates', async () => {
  const link: TreeEdit = { kind: 'put', path: 'link', oid: BLOB, mode: '120000' };
  await assert.rejects(new Trees().edit(null, [link, put('link/x')]), /leads through link/);
});

test('H2: one edit opens folders only up to a number of entries', async () => {
  const trees = new Trees();
  const count = 50_000;
  const entry = (index: number): TreeEntry => ({
    mode: '100644',
    name: `${index}`.padStart(6, '0'),
    oid: BLOB,
  });
  const large = trees.put(Array.from({ length: count }, (_, index) => entry(index)));
  const folders = Math.ceil(GIT_LIMITS.treeEntriesEditedMax / count);
  const names = Array.from({ length: folders }, (_, index) => `f${String(index).padStart(3, '0')}`);
  const root = trees.put(names.map((name): TreeEntry => ({ mode: '040000', name, oid: large })));

  await trees.edit(root, [put('f000/x'), put('f001/x')]);
  const all = names.map((name) => put(`${name}/x`));
  await assert.rejects(trees.edit(root, all), /the folders of these files are too large/);
});

test('a missing entry cannot be removed, and a file cannot replace a folder', async () => {
  const trees = new Trees();
  const root = await trees.edit(null, [put('a/b')]);
  await assert.rejects(trees.edit(root, [remove('c')]), /path .* not found/);
  await assert.rejects(trees.edit(root, [remove('c/d')]), /path .* not found/);
  await assert.rejects(trees.edit(root, [put('a')]), /is a folder/);
  await assert.rejects(trees.edit(root, [put('.git/config')]), { name: 'ForgeError' });
});

test('an edit does not change entries whose names are not UTF-8', async () => {
  const trees = new Trees();
  const root = trees.put([{ mode: '100644', name: '"\\377"', oid: BLOB }]);
  const next = await trees.edit(root, [put('a'), put('\ufffd', OTHER)]);
  const entries = await trees.reader.readTree(next);
  assert.equal(entries.find(({ name }) => name === '"\\377"')?.oid, BLOB);
  assert.equal(entries.length, 3);
  assert.equal((await findEntry(trees.reader, next, '\ufffd'))?.oid, OTHER);
});

test('any series of edits results in the same files as in a plain map', async () => {
  const paths = fc.constantFrom('a', 'b/c', 'b/d', 'e/f/g', 'e/f/h', 'i/j/k/l');
  const steps = fc.array(fc.tuple(fc.boolean(), paths, fc.constantFrom(BLOB, OTHER)), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const trees = new Trees();
      const expected = new Map<string, Oid>();
      const edits: TreeEdit[] = [];
      for (const [isPut, path, oid] of all) {
        if (!isPut && !expected.has(path)) continue;
        edits.push(isPut ? put(path, oid) : remove(path));
        if (isPut) expected.set(path, oid);
        else expected.delete(path);
      }
      const root = await trees.edit(null, edits);
      assert.deepEqual(await trees.files(root), Object.fromEntries([...expected].sort()));
    }),
  );
});
