import { ForgeError, invalid, notFound } from '../../../base/core/failure.ts';
import type { CommitEdit } from '../../../git/commit-builder.ts';
import type { StoredTree } from '../../../git/format/stored-tree.ts';
import { newPathProblem, treePathProblem } from '../../../git/format/tree-paths.ts';
import { GIT_LIMITS } from '../../../git/limits.ts';
import type { NewBlob, ObjectReader, Oid, TreeEntry, TreeMode, WriteSession } from '../../../git/model.ts';
import type { FileChange } from '../model.ts';

const NO_CONTENT = new Uint8Array();

/** @throws ForgeError `invalid` for a path that no tree may hold */
export function requirePlainPaths(changes: readonly FileChange<unknown>[]): void {
  for (const path of changes.flatMap(pathsOf)) {
    const problem = treePathProblem(path);
    if (problem !== undefined) throw invalid(`${problem} [path: ${path}]`);
  }
}

/** Returns the path of a change, and the one that the file has before it if that is another. */
export function pathsOf(change: FileChange<unknown>): readonly string[] {
  return change.kind === 'update' && change.fromPath !== undefined
    ? [change.path, change.fromPath]
    : [change.path];
}

/**
 * Returns the edits that make `changes`, one after the other, on the tree of `parent` (null: no commit yet). Each finds
 * the paths that the ones before it have freed.
 *
 * @throws ForgeError `not_found`, `invalid`, `already_exists`
 */
export async function editsOf(
  session: Pick<WriteSession, 'objects'>,
  parent: Oid | null,
  changes: readonly FileChange<NewBlob>[],
): Promise<readonly CommitEdit[]> {
  const root = parent === null ? null : (await session.objects.readCommit(parent)).tree;
  const tree = new ChangingTree(session.objects, root);
  const edits: CommitEdit[] = [];
  for (const change of changes) edits.push(...(await editsOfOne(tree, change)));
  return edits;
}

async function editsOfOne(tree: ChangingTree, change: FileChange<NewBlob>): Promise<readonly CommitEdit[]> {
  const { path } = change;
  if (change.kind === 'create') {
    await requireFree(tree, path, change.isUpdate === true ? ': send its sha to change it' : '');
    tree.note(path, 'written');
    return [{ kind: 'put', path, mode: '100644', content: change.content ?? NO_CONTENT }];
  }
  if (change.kind === 'upload') return uploadEdits(tree, change);
  if (change.kind === 'delete') {
    requireRemovable(await tree.at(path), path, change.oid);
    tree.note(path, 'removed');
    return [{ kind: 'remove', path }];
  }
  const from = change.fromPath ?? path;
  const { mode, oid } =
    from === path
      ? requireFile(await tree.at(path), path, change.oid)
      : requireMovable(await tree.at(from), from, change.oid);
  if (mode === '120000') requireTarget(change.content, path);
  const put: CommitEdit =
    change.content === undefined
      ? { kind: 'put', path, mode, oid }
      : { kind: 'put', path, mode, content: change.content };
  if (from !== path) {
    tree.note(from, 'removed');
    await requireFree(tree, path);
  }
  tree.note(path, 'written');
  return from === path ? [put] : [{ kind: 'remove', path: from }, put];
}

async function uploadEdits(
  tree: ChangingTree,
  change: FileChange<NewBlob> & { readonly kind: 'upload' },
): Promise<readonly CommitEdit[]> {
  const { path, oid, content = NO_CONTENT } = change;
  const existing = await tree.at(path);
  const isNew = existing === undefined && oid === undefined;
  const mode = isNew ? '100644' : requireFile(existing, path, oid).mode;
  tree.note(path, 'written');
  return [{ kind: 'put', path, mode, content }];
}

/** A tree as it is after a part of the changes. */
class ChangingTree {
  readonly #objects: ObjectReader;
  readonly #root: Oid | null;
  readonly #changed = new Map<string, 'written' | 'removed'>();
  readonly #folders = new Map<Oid, StoredTree>();
  #entries = 0;

  constructor(objects: ObjectReader, root: Oid | null) {
    this.#objects = objects;
    this.#root = root;
  }

  note(path: string, change: 'written' | 'removed'): void {
    this.#changed.set(path, change);
  }

  async at(path: string): Promise<TreeEntry | 'written' | undefined> {
    const change = this.#changed.get(path);
    if (change !== undefined) return change === 'written' ? change : undefined;
    let tree = this.#root;
    let entry: TreeEntry | undefined;
    for (const name of path.split('/')) {
      if (tree === null) return undefined;
      entry = (await this.#folder(tree)).find(name);
      tree = entry?.mode === '040000' ? entry.oid : null;
    }
    return tree !== null && (await this.#isEmptied(path, tree)) ? undefined : entry;
  }

  /** Whether the changes so far have removed every file of a folder, which goes with its last file. */
  async #isEmptied(path: string, tree: Oid): Promise<boolean> {
    const below = [...this.#changed].filter(([changed]) => changed.startsWith(`${path}/`));
    if (below.length === 0 || below.some(([, change]) => change === 'written')) return false;
    const folder = await this.#folder(tree);
    // Each entry needs a removal.
    if (folder.size > below.length) return false;
    for (const { name, mode, oid } of folder.entries) {
      const at = `${path}/${name}`;
      const isGone = mode === '040000' ? await this.#isEmptied(at, oid) : this.#changed.has(at);
      if (!isGone) return false;
    }
    return true;
  }

  /** Keeps the folders that it has read, because the cache may not have room for all of them. */
  async #folder(oid: Oid): Promise<StoredTree> {
    const known = this.#folders.get(oid);
    if (known !== undefined) return known;
    const folder = await this.#objects.openTree(oid);
    this.#entries += folder.size;
    if (this.#entries > GIT_LIMITS.treeEntriesEditedMax)
      throw invalid('the folders of these files are too large');
    this.#folders.set(oid, folder);
    return folder;
  }
}

/**
 * @param advice for a file at this path
 * @throws ForgeError `already_exists`, `invalid` for a path that leads through something other than a folder
 */
async function requireFree(tree: ChangingTree, path: string, advice = ''): Promise<void> {
  const entry = await tree.at(path);
  if (entry === undefined) return;
  const isFile = entry === 'written' || isFileMode(entry.mode);
  const what = isFile
    ? `repository file already exists [path: ${path}]${advice}`
    : `${WHAT[entry.mode]} already exists [path: ${path}]`;
  throw new ForgeError({ kind: 'already_exists', what });
}

const WHAT = { '040000': 'folder', '120000': 'symbolic link', '160000': 'submodule' } as const;

type FileMode = '100644' | '100755';

function isFileMode(mode: TreeMode): mode is FileMode {
  return mode === '100644' || mode === '100755';
}

interface Changed<Mode extends TreeMode> {
  readonly mode: Mode;
  readonly oid: Oid;
}

/** What a change finds at its path. */
type Found = TreeEntry | 'written' | undefined;

/** Returns the file to change, which must be the version that the caller has seen, if it says which one. */
function requireFile(found: Found, path: string, expected: Oid | undefined): Changed<FileMode> {
  const { mode, oid } = requireChangeable(found, path);
  if (mode === '120000') {
    throw invalid(`a symbolic link is not changed in place: delete it and create the file [path: ${path}]`);
  }
  if (mode === '160000') throw invalid(`a submodule can only be deleted [path: ${path}]`);
  requireSeen(oid, path, expected);
  return { mode, oid };
}

/** Returns the file or symbolic link to move. Nothing follows a link: what moves is the link itself. */
function requireMovable(found: Found, path: string, expected: Oid | undefined): Changed<FileMode | '120000'> {
  const { mode, oid } = requireChangeable(found, path);
  // Its URL is in .gitmodules, by its path.
  if (mode === '160000') throw invalid(`a submodule can only be deleted [path: ${path}]`);
  requireSeen(oid, path, expected);
  return { mode, oid };
}

/** The new target of a symbolic link that moves. git cannot check out an empty one or one with a NUL. */
function requireTarget(content: NewBlob | undefined, path: string): void {
  if (content === undefined) return;
  const isTarget =
    content instanceof Uint8Array &&
    content.length > 0 &&
    content.length < GIT_LIMITS.treePathBytesMax &&
    !content.includes(0);
  if (!isTarget) throw invalid(`the content of a symbolic link is the path that it leads to [path: ${path}]`);
}

function requireRemovable(found: Found, path: string, expected: Oid): void {
  requireSeen(requireChangeable(found, path).oid, path, expected);
}

/** @throws ForgeError `not_found`; `invalid` for a folder, a path that no new file may have, and a path that this commit has written already */
function requireChangeable(found: Found, path: string): Changed<FileMode | '120000' | '160000'> {
  if (found === undefined) throw absent(path);
  if (found === 'written') throw invalid(`a file can be changed once in a commit [path: ${path}]`);
  const { mode, oid } = found;
  if (mode === '040000') throw invalid(`this is a folder: change the files in it [path: ${path}]`);
  return { mode, oid };
}

/** A path that no new file may have is wrong, unless a push has brought a file of that name. */
function absent(path: string): ForgeError {
  const problem = newPathProblem(path);
  return problem === undefined ? notFound('path') : invalid(`${problem} [path: ${path}]`);
}

/** @throws ForgeError `invalid` */
function requireSeen(oid: Oid, path: string, expected: Oid | undefined): void {
  if (expected === undefined || oid === expected.toLowerCase()) return;
  throw invalid(`sha does not match [path: ${path}, given: ${expected}, expected: ${oid}]`);
}
