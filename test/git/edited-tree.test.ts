import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { notFound } from '../../src/base/core/failure.ts';
import { EditedTree } from '../../src/git/format/edited-tree.ts';
import type { GitObject, Oid, TreeEntry, TreeMode } from '../../src/git/format/model.ts';
import { newObject } from '../../src/git/format/new-object.ts';
import { emptyTreeOid } from '../../src/git/format/object-format.ts';
import { StoredTree } from '../../src/git/format/stored-tree.ts';
import { encodeTree } from '../../src/git/format/tree-format.ts';
import type { ObjectReader } from '../../src/git/interface/snapshot.ts';
import { GIT_LIMITS } from '../../src/git/limits.ts';
import { findEntry } from '../../src/git/trees/find-entry.ts';

const BLOB = newObject('sha1', 'blob', Buffer.from('x')).oid;
const OTHER = newObject('sha1', 'blob', Buffer.from('y')).oid;

type TreeEdit =
  | { readonly kind: 'put'; readonly path: string; readonly oid: Oid; readonly mode: TreeMode }
  | { readonly kind: 'remove'; readonly path: string };

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

  open(root: Oid | null): EditedTree {
    return new EditedTree(root, { format: 'sha1', openTree: (oid) => this.reader.openTree(oid) });
  }

  async edit(root: Oid | null, edits: readonly TreeEdit[]): Promise<Oid> {
    const tree = this.open(root);
    for (const edit of edits) {
      if (edit.kind === 'put') await tree.put(edit.path, edit);
      else await tree.remove(edit.path);
    }
    return this.write(tree);
  }

  write(tree: EditedTree): Oid {
    const { root, objects } = tree.write();
    this.add(objects);
    return root;
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
  const changed = trees.open(root);
  await changed.put('a/b/c', { mode: '100644', oid: OTHER });
  const { objects, root: newRoot } = changed.write();
  assert.equal(trees.read.length, 3);
  assert.equal(objects.length, 3);
  assert.equal(objects.at(-1)?.oid, newRoot);
  const same = trees.open(root);
  await same.put('a/b/c', { mode: '100644', oid: BLOB });
  assert.deepEqual(same.write(), { root, objects: [], isReadByGit: false });
});

test('thousands of reads and edits open each folder once', async () => {
  const trees = new Trees();
  const paths = Array.from({ length: 3_000 }, (_, index) => `${index % 30}/${index % 7}/${index}`);
  const root = await trees.edit(
    null,
    paths.map((path) => put(path)),
  );
  trees.read.length = 0;
  const tree = trees.open(root);
  for (const path of paths) {
    assert.equal((await tree.at(path))?.oid, BLOB);
    await tree.put(path, { mode: '100644', oid: OTHER });
  }
  assert.equal(trees.read.length, 1 + 30 + 30 * 7);
  const files = await trees.files(trees.write(tree));
  assert.deepEqual(new Set(Object.values(files)), new Set([OTHER]));
});

test('a tree that is only read keeps its id, even in an unusual encoding', async () => {
  const trees = new Trees();
  const inner = trees.put([{ mode: '100644', name: 'c', oid: BLOB }]);
  const entry = Buffer.concat([Buffer.from('040000 a\0'), Buffer.from(inner, 'hex')]);
  const unusual = newObject('sha1', 'tree', entry);
  trees.add([unusual]);
  const tree = trees.open(unusual.oid);
  assert.deepEqual(await tree.at('a/c'), { mode: '100644', oid: BLOB, isPut: false });
  assert.equal(await tree.at('b/c'), undefined);
  assert.equal(trees.write(tree), unusual.oid);
});

test('a tree shows its entries as they are after the edits so far', async () => {
  const trees = new Trees();
  const root = await trees.edit(null, [put('a/b'), put('c/d/e'), put('c/f')]);
  const tree = trees.open(root);
  const modeAt = async (path: string) => (await tree.at(path))?.mode;
  assert.deepEqual(
    [await modeAt('a'), await modeAt('c/d'), await modeAt('c/f')],
    ['040000', '040000', '100644'],
  );
  await tree.remove('a/b');
  assert.deepEqual([await modeAt('a'), await modeAt('a/b')], [undefined, undefined]);
  await tree.put('a', { mode: '120000', oid: BLOB });
  assert.deepEqual([await modeAt('a'), await modeAt('a/b')], ['120000', undefined]);
  await tree.remove('c/d/e');
  assert.deepEqual([await modeAt('c/d'), await modeAt('c')], [undefined, '040000']);
  await tree.put('c/d/new', { mode: '100644', oid: BLOB });
  assert.deepEqual([await modeAt('c/d'), await modeAt('c/d/new')], ['040000', '100644']);
  await tree.put('g/h', { mode: '100644', oid: BLOB });
  assert.deepEqual([await modeAt('g'), await modeAt('g/h')], [undefined, '100644']);
});

test('an entry can replace a stored folder, but no folder in which an edit was made', async () => {
  const trees = new Trees();
  const root = await trees.edit(null, [put('a/b'), put('a/c')]);
  const replace = { replacesFolders: true };
  const tree = trees.open(root);
  await tree.at('a/b');
  await tree.put('a', { mode: '100644', oid: OTHER }, replace);
  assert.deepEqual(await trees.files(trees.write(tree)), { a: OTHER });
  const edited = trees.open(root);
  await edited.put('a/d', { mode: '100644', oid: OTHER });
  await assert.rejects(edited.put('a', { mode: '100644', oid: OTHER }, replace), /a is a folder/);
});

test('a failed edit makes no folder', async () => {
  const trees = new Trees();
  const root = await trees.edit(null, [put('a/b')]);
  const tree = trees.open(root);
  await assert.rejects(tree.put('a/new/\\', { mode: '100644', oid: BLOB }), /backslash/);
  assert.equal(trees.write(tree), root);
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

const FILES = ['a', 'b/c', 'b/d', 'e/f/g', 'e/f/h', 'i/j/k/l', 'b', 'e/f', 'a/x', 'i/j'];

/** The same edits on a plain map of paths. */
class Model {
  readonly files: Map<string, Oid>;

  constructor(files: Iterable<readonly [string, Oid]>) {
    this.files = new Map(files);
  }

  isFolder(path: string): boolean {
    return [...this.files.keys()].some((each) => each.startsWith(`${path}/`));
  }

  canPut(path: string): boolean {
    const above = path.split('/').map((_, index, names) => names.slice(0, index).join('/'));
    return !this.isFolder(path) && !above.some((folder) => this.files.has(folder));
  }
}

test('any series of reads and edits results in the same files as in a plain map', async () => {
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom('put', 'remove', 'at'),
      path: fc.constantFrom(...FILES),
      oid: fc.constantFrom(BLOB, OTHER),
    }),
    { maxLength: 30 },
  );
  const isStored = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(isStored, steps, async (stored, all) => {
      const trees = new Trees();
      const before = FILES.filter((_, index) => stored[index]);
      const tree = trees.open(
        before.length === 0
          ? null
          : await trees.edit(
              null,
              before.map((path) => put(path)),
            ),
      );
      const model = new Model(before.map((path) => [path, BLOB]));
      for (const { kind, path, oid } of all) {
        if (kind === 'at') {
          const found = await tree.at(path);
          if (found?.mode === '040000') assert.ok(model.isFolder(path), `${path} is a folder`);
          else assert.equal(found?.oid, model.files.get(path), path);
        } else if (kind === 'put') {
          const putting = tree.put(path, { mode: '100644', oid });
          if (!model.canPut(path)) await assert.rejects(putting, { name: 'ForgeError' });
          else {
            await putting;
            model.files.set(path, oid);
          }
        } else if (model.files.has(path)) {
          await tree.remove(path);
          model.files.delete(path);
        } else if (!FILES.some((each) => each.startsWith(`${path}/`))) {
          await assert.rejects(tree.remove(path), { name: 'ForgeError' });
        }
      }
      const root = trees.write(tree);
      assert.deepEqual(await trees.files(root), Object.fromEntries([...model.files].sort()));
      const anew = await trees.edit(
        null,
        [...model.files].map(([path, oid]) => put(path, oid)),
      );
      assert.equal(root, anew);
    }),
  );
});
