import { invalid, notFound } from '../../base/core/failure.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { GitObject, ObjectFormat, Oid, TreeEntry, TreeMode } from './model.ts';
import { newObject } from './new-object.ts';
import { emptyTreeOid } from './object-format.ts';
import { StoredTree } from './stored-tree.ts';
import { isReadByGit, newNameProblem, treePathProblem } from './tree-paths.ts';

/** What a path of an edited tree leads to. */
export interface FoundEntry extends Pick<TreeEntry, 'mode' | 'oid'> {
  /** an edit put the entry there */
  readonly isPut: boolean;
}

/** The trees of one state of an edited tree. */
export interface WrittenTree {
  readonly root: Oid;
  /** the new trees, the root last; write them before `root` is used */
  readonly objects: readonly GitObject[];
  /** git itself may read a file that an edit put, so git must check the new objects */
  readonly isReadByGit: boolean;
}

interface TreeSource {
  readonly format: ObjectFormat;
  /** Opens a stored tree. */
  openTree(oid: Oid): Promise<StoredTree>;
}

/**
 * A stored tree with edits that are not stored yet. It opens only the folders on the paths that it is asked about, and
 * each of them once. Entries of these folders without an edit stay byte for byte as they are. Make one call at a time.
 */
export class EditedTree {
  /** id of the tree before the edits; null: no tree */
  readonly base: Oid | null;
  readonly #source: TreeSource;
  #root: Folder | undefined;
  /** entries of all open folders, which are in memory */
  #entriesRead = 0;
  #isReadByGit = false;

  constructor(base: Oid | null, source: TreeSource) {
    this.base = base;
    this.#source = source;
  }

  /**
   * Finds an entry as it is after the edits so far.
   *
   * @returns undefined if nothing is at the path, if the path leads through something other than a folder, and for a
   *   folder that only edits have made: it has no id yet. Another folder has the id that it is stored under
   * @throws ForgeError `invalid` if the folders have too many entries
   */
  async at(path: string): Promise<FoundEntry | undefined> {
    const names = path.split('/');
    const last = names.pop() ?? '';
    let folder: Folder | undefined = await this.#openRoot();
    for (const name of names) {
      folder = await this.#enter(folder, name);
      if (folder === undefined) return undefined;
    }
    const found = folder.at(last);
    if (found === undefined) return undefined;
    if (!(found instanceof Folder))
      return { mode: found.mode, oid: found.oid, isPut: folder.known.has(last) };
    if (found.storedAs === null || found.isEmptied) return undefined;
    return { mode: '040000', oid: found.storedAs, isPut: false };
  }

  /**
   * Puts an object at a path, and makes the folders that are missing.
   *
   * @param options.replacesFolders replaces a stored folder, too; by default, a folder has to lose all its files first
   * @throws ForgeError `invalid` for an invalid path, a folder at the path, a path that leads through something other than
   *   a folder, and folders with too many entries
   */
  async put(
    path: string,
    { mode, oid }: { readonly mode: TreeMode; readonly oid: Oid },
    { replacesFolders = false }: { readonly replacesFolders?: boolean } = {},
  ): Promise<void> {
    const [folder, name] = await this.#folderOf(path, (missing) => {
      requireNewName(missing, path);
      return new Folder(new StoredTree(this.#source.format, NO_ENTRIES), null);
    });
    if (folder.needsFolder(name, { replacesFolders })) throw invalid(`${path} is a folder`);
    if (folder.stored.find(name) === undefined) requireNewName(name, path);
    folder.known.set(name, { mode, name, oid });
    this.#isReadByGit ||= isReadByGit(path);
  }

  /**
   * Removes the entry at a path. A folder that loses its last entry is removed, too, and may be removed once more.
   *
   * @throws ForgeError `not_found` for an absent path; `invalid` as `put`, except for a folder at the path
   */
  async remove(path: string): Promise<void> {
    const [folder, name] = await this.#folderOf(path, () => {
      throw notFound(`path ${path}`);
    });
    if (folder.at(name) === undefined) throw notFound(`path ${path}`);
    folder.known.set(name, null);
  }

  /** Encodes the changed folders. A tree without changes keeps its id, even if it was encoded in an unusual way. */
  write(): WrittenTree {
    const { format } = this.#source;
    const objects: GitObject[] = [];
    const isReadByGit = this.#isReadByGit;
    if (this.#root !== undefined)
      return { root: writeFolder(format, this.#root, objects), objects, isReadByGit };
    if (this.base !== null) return { root: this.base, objects, isReadByGit };
    const empty = newObject(format, 'tree', NO_ENTRIES);
    return { root: empty.oid, objects: [empty], isReadByGit };
  }

  /** @returns the folder of a path, and the name in it */
  async #folderOf(
    path: string,
    onMissing: (name: string) => Folder,
  ): Promise<readonly [folder: Folder, name: string]> {
    const problem = treePathProblem(path);
    if (problem !== undefined) throw invalid(problem);
    const names = path.split('/');
    const last = names.pop() ?? '';
    let folder = await this.#openRoot();
    for (const name of names) {
      folder.isEdited = true;
      folder = (await this.#enter(folder, name)) ?? addFolder(folder, name, path, onMissing);
    }
    folder.isEdited = true;
    return [folder, last];
  }

  async #openRoot(): Promise<Folder> {
    this.#root ??= await this.#open(this.base);
    return this.#root;
  }

  /** @returns undefined if nothing has the name, or something other than a folder */
  async #enter(parent: Folder, name: string): Promise<Folder | undefined> {
    const found = parent.at(name);
    if (found === undefined || found instanceof Folder) return found;
    if (found.mode !== '040000') return undefined;
    const folder = await this.#open(found.oid);
    parent.known.set(name, folder);
    return folder;
  }

  async #open(oid: Oid | null): Promise<Folder> {
    const { format } = this.#source;
    // git reads the empty tree without storing it.
    const isStored = oid !== null && oid !== emptyTreeOid(format);
    const stored = isStored ? await this.#source.openTree(oid) : new StoredTree(format, NO_ENTRIES);
    this.#entriesRead += stored.size;
    if (this.#entriesRead > GIT_LIMITS.treeEntriesEditedMax)
      throw invalid('the folders of these files are too large');
    return new Folder(stored, oid);
  }
}

const NO_ENTRIES = new Uint8Array();

/** An open folder. */
class Folder {
  readonly stored: StoredTree;
  /** null: a new folder */
  readonly storedAs: Oid | null;
  /** by name: an entry that an edit put here, or an open folder; null: an edit removed the entry */
  readonly known = new Map<string, TreeEntry | Folder | null>();
  /** an edit has a path through this folder */
  isEdited = false;

  constructor(stored: StoredTree, storedAs: Oid | null) {
    this.stored = stored;
    this.storedAs = storedAs;
  }

  /** Finds an entry, or an open folder, as it is after the edits. The text of a name is that of `name-bytes.ts`. */
  at(name: string): TreeEntry | Folder | undefined {
    const known = this.known.get(name);
    return known === undefined ? this.stored.find(name) : (known ?? undefined);
  }

  /** Whether the edits have removed all entries, so that the folder itself is removed. */
  get isEmptied(): boolean {
    if (this.stored.size > this.known.size) return false;
    let remaining = this.stored.size;
    for (const [name, known] of this.known) {
      if (known !== null && !(known instanceof Folder && known.isEmptied)) return false;
      if (this.stored.find(name) !== undefined) remaining -= 1;
    }
    // A folder that was stored without entries stays.
    return remaining === 0 && (this.known.size > 0 || this.storedAs === null);
  }

  /** Whether a folder has the name and stays a folder, so that a file cannot have the name. */
  needsFolder(name: string, { replacesFolders }: { replacesFolders: boolean }): boolean {
    const found = this.at(name);
    if (!(found instanceof Folder)) return found?.mode === '040000' && !replacesFolders;
    // An edit below a path contradicts another one that replaces the path.
    return !found.isEmptied && (found.isEdited || !replacesFolders);
  }
}

function addFolder(parent: Folder, name: string, path: string, onMissing: (name: string) => Folder): Folder {
  // Below a symlink a checkout would write outside the tree.
  if (parent.at(name) !== undefined) throw invalid(`${path} leads through ${name}, which is not a folder`);
  const folder = onMissing(name);
  parent.known.set(name, folder);
  return folder;
}

/** @throws ForgeError `invalid` */
function requireNewName(name: string, path: string): void {
  const problem = newNameProblem(name);
  if (problem !== undefined) throw invalid(`${problem} [path: ${path}]`);
}

/** Encodes a folder after the folders in it. @returns its id */
function writeFolder(format: ObjectFormat, folder: Folder, written: GitObject[]): Oid {
  const changes = new Map<string, TreeEntry | null>();
  for (const [name, known] of folder.known) {
    const entry = known instanceof Folder ? entryOf(format, name, known, written) : known;
    const was = folder.stored.find(name);
    const isSame = known instanceof Folder && was?.mode === entry?.mode && was?.oid === entry?.oid;
    if (!isSame) changes.set(name, entry);
  }
  if (changes.size === 0 && folder.storedAs !== null) return folder.storedAs;
  const tree = newObject(format, 'tree', folder.stored.with(changes));
  if (tree.oid !== folder.storedAs) written.push(tree);
  return tree.oid;
}

function entryOf(format: ObjectFormat, name: string, folder: Folder, written: GitObject[]): TreeEntry | null {
  if (folder.isEmptied) return null;
  return { mode: '040000', name, oid: writeFolder(format, folder, written) };
}
