import { invalid, notFound } from '../../base/core/failure.ts';
import { emptyTreeOid, hashObject } from '../format/object-format.ts';
import { StoredTree } from '../format/stored-tree.ts';
import { newNameProblem, treePathProblem } from '../format/tree-paths.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { GitObject, ObjectFormat, ObjectReader, Oid, TreeEntry, TreeMode } from '../model.ts';

export type TreeEdit =
  | {
      readonly kind: 'put';
      readonly path: string;
      readonly oid: Oid;
      readonly mode: TreeMode;
      /** replaces whatever has the path, also a folder; by default, a file does not replace a folder */
      readonly replacesFolders?: boolean;
    }
  | { readonly kind: 'remove'; readonly path: string };

export interface EditedTree {
  readonly root: Oid;
  /** the new trees, to write before `root` is used */
  readonly objects: readonly GitObject[];
}

/** Where folders are read from. */
interface Source {
  readonly objects: ObjectReader;
  readonly format: ObjectFormat;
  /** of all folders read so far, which are in memory */
  entriesRead: number;
}

/** A folder on the path of an edit. It is read for the first such edit and encoded after the last one. */
interface Folder {
  readonly stored: StoredTree;
  /** null: removed */
  readonly changes: Map<string, TreeEntry | null>;
  readonly opened: Map<string, Folder>;
  /** null: a new folder */
  readonly storedAs: Oid | null;
  readonly isRoot: boolean;
  /** an edit removed an entry: if the folder is now empty, it is removed, too */
  lostAnEntry: boolean;
}

/**
 * Applies `edits` in order to the tree `rootTree` (null: no tree yet). Reads only the folders on the paths of the edits.
 *
 * @throws ForgeError `invalid` for an invalid path, one that leads through a file, symlink or submodule, and folders with
 *   too many entries; `not_found` for the removal of an absent path
 */
export async function editTree(
  objects: ObjectReader,
  format: ObjectFormat,
  rootTree: Oid | null,
  edits: readonly TreeEdit[],
): Promise<EditedTree> {
  const source = { objects, format, entriesRead: 0 };
  const root = await readFolder(source, { oid: rootTree, isRoot: true });
  for (const edit of edits) await apply(source, root, edit);
  const written: GitObject[] = [];
  const oid = writeFolder(format, root, written);
  return { root: oid, objects: written };
}

async function apply(source: Source, root: Folder, edit: TreeEdit): Promise<void> {
  const problem = treePathProblem(edit.path);
  if (problem !== undefined) throw invalid(problem);
  const names = edit.path.split('/');
  const last = names.pop() ?? '';
  let folder = root;
  for (const name of names) folder = await enter(source, folder, name, edit);
  if (edit.kind === 'put') put(folder, last, edit);
  else remove(folder, last, edit.path);
}

async function enter(source: Source, parent: Folder, name: string, edit: TreeEdit): Promise<Folder> {
  const opened = parent.opened.get(name);
  if (opened !== undefined) return opened;
  const entry = entryOf(parent, name);
  // Below a symlink a checkout would write outside the tree.
  if (entry !== undefined && entry.mode !== '040000') {
    throw invalid(`${edit.path} leads through ${name}, which is not a folder`);
  }
  if (entry === undefined && edit.kind === 'remove') throw notFound(`path ${edit.path}`);
  if (entry === undefined) requireNewName(name, edit.path);
  const folder = await readFolder(source, { oid: entry?.oid ?? null, isRoot: false });
  parent.opened.set(name, folder);
  return folder;
}

async function readFolder(
  source: Source,
  { oid, isRoot }: { oid: Oid | null; isRoot: boolean },
): Promise<Folder> {
  // git reads the empty tree without storing it.
  const isStored = oid !== null && oid !== emptyTreeOid(source.format);
  const stored = isStored
    ? await source.objects.openTree(oid)
    : new StoredTree(source.format, new Uint8Array());
  source.entriesRead += stored.size;
  if (source.entriesRead > GIT_LIMITS.treeEntriesEditedMax)
    throw invalid('the folders of these files are too large');
  return { stored, changes: new Map(), opened: new Map(), storedAs: oid, isRoot, lostAnEntry: false };
}

/** Names that are not UTF-8 cannot be edited by path. */
function entryOf({ stored, changes }: Folder, name: string): TreeEntry | undefined {
  const changed = changes.get(name);
  return changed === undefined ? stored.find(name) : (changed ?? undefined);
}

function countOf({ stored, changes }: Folder): number {
  let count = stored.size;
  for (const [name, entry] of changes)
    count += Number(entry !== null) - Number(stored.find(name) !== undefined);
  return count;
}

/** @throws ForgeError `invalid` */
function requireNewName(name: string, path: string): void {
  const problem = newNameProblem(name);
  if (problem !== undefined) throw invalid(`${problem} [path: ${path}]`);
}

function put(folder: Folder, name: string, edit: Extract<TreeEdit, { kind: 'put' }>): void {
  const child = folder.opened.get(name);
  const isStored = entryOf(folder, name)?.mode === '040000' && edit.replacesFolders !== true;
  const isFolder = child === undefined ? isStored : !hasLostEverything(child);
  if (isFolder) throw invalid(`${edit.path} is a folder`);
  if (folder.stored.find(name) === undefined) requireNewName(name, edit.path);
  folder.opened.delete(name);
  folder.changes.set(name, { mode: edit.mode, name, oid: edit.oid });
}

/** Whether the edits so far have removed all files of an opened folder, so that a file can have its name. */
function hasLostEverything(folder: Folder): boolean {
  const opened = [...folder.opened];
  // An entry that is not opened is still there.
  const remaining = opened.filter(([name]) => entryOf(folder, name) !== undefined).length;
  return countOf(folder) === remaining && opened.every(([, child]) => hasLostEverything(child));
}

function remove(folder: Folder, name: string, path: string): void {
  if (entryOf(folder, name) === undefined && !folder.opened.has(name)) throw notFound(`path ${path}`);
  folder.changes.set(name, null);
  folder.opened.delete(name);
  folder.lostAnEntry = true;
}

/** Encodes the opened folders, deepest first, and returns the id of this one. */
function writeFolder(format: ObjectFormat, folder: Folder, written: GitObject[]): Oid {
  for (const [name, child] of folder.opened) {
    const oid = writeFolder(format, child, written);
    if (isEmptied(child)) {
      folder.changes.set(name, null);
      folder.lostAnEntry = true;
    } else folder.changes.set(name, { mode: '040000', name, oid });
  }
  const content = folder.stored.with(folder.changes);
  const oid = hashObject(format, 'tree', content);
  const isNew = oid !== folder.storedAs && (folder.isRoot || !isEmptied(folder));
  if (isNew) written.push({ oid, type: 'tree', content });
  return oid;
}

function isEmptied(folder: Folder): boolean {
  return folder.lostAnEntry && countOf(folder) === 0;
}

/** Finds the entry at `path`. Returns undefined if it is absent or the path leads through a non-folder. */
export async function findEntry(
  objects: ObjectReader,
  rootTree: Oid,
  path: string,
): Promise<TreeEntry | undefined> {
  let entry: TreeEntry | undefined;
  let tree: Oid | undefined = rootTree;
  for (const name of path.split('/')) {
    if (tree === undefined) return undefined;
    entry = (await objects.openTree(tree)).find(name);
    tree = entry?.mode === '040000' ? entry.oid : undefined;
    if (entry === undefined) return undefined;
  }
  return entry;
}
