import { ForgeError, invalid, notFound } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { CommitEdit } from '../git/commit-builder.ts';
import type { NewBlob, ObjectReader, Oid, TreeEntry, WriteSession } from '../git/model.ts';
import { treePathProblem } from '../git/objects/tree-paths.ts';
import type { FileChange } from './model.ts';

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
  session: WriteSession,
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
    await requireFree(tree, path);
    tree.note(path, 'written');
    return [{ kind: 'put', path, mode: '100644', content: change.content ?? NO_CONTENT }];
  }
  if (change.kind === 'upload') return uploadEdits(tree, change);
  const from = change.kind === 'update' ? (change.fromPath ?? path) : path;
  const { mode, oid } = requireFile(await tree.at(from), from, change.oid);
  if (change.kind === 'delete') {
    tree.note(path, 'removed');
    return [{ kind: 'remove', path }];
  }
  const put: CommitEdit =
    change.content === undefined
      ? { kind: 'put', path, mode, oid }
      : { kind: 'put', path, mode, content: change.content };
  if (from !== path) {
    await requireFree(tree, path);
    tree.note(from, 'removed');
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
  readonly #folders = new Map<Oid, ReadonlyMap<string, TreeEntry>>();
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
      entry = (await this.#folder(tree)).get(name);
      tree = entry?.mode === '040000' ? entry.oid : null;
    }
    return entry;
  }

  /** Keeps the folders that it has read, because searching one from its start for each of many files takes long. */
  async #folder(oid: Oid): Promise<ReadonlyMap<string, TreeEntry>> {
    const known = this.#folders.get(oid);
    if (known !== undefined) return known;
    const entries = (await this.#objects.readTree(oid)).filter(({ bytes }) => bytes === undefined);
    this.#entries += entries.length;
    if (this.#entries > LIMITS.treeEntriesEditedMax)
      throw invalid('the folders of these files are too large');
    const folder = new Map(entries.map((entry) => [entry.name, entry]));
    this.#folders.set(oid, folder);
    return folder;
  }
}

async function requireFree(tree: ChangingTree, path: string): Promise<void> {
  if ((await tree.at(path)) === undefined) return;
  throw new ForgeError({ kind: 'already_exists', what: `repository file already exists [path: ${path}]` });
}

/** Returns the file to change, which must be the version that the caller has seen, if it says which one. */
function requireFile(
  entry: TreeEntry | 'written' | undefined,
  path: string,
  expected: Oid | undefined,
): { readonly mode: '100644' | '100755'; readonly oid: Oid } {
  if (entry === undefined) throw notFound('path');
  if (entry === 'written') throw invalid(`a file can be changed once in a commit [path: ${path}]`);
  const { mode, oid } = entry;
  if (mode !== '100644' && mode !== '100755') throw invalid(`only files can be changed [path: ${path}]`);
  if (expected !== undefined && oid !== expected.toLowerCase()) {
    throw invalid(`sha does not match [path: ${path}, given: ${expected}, expected: ${oid}]`);
  }
  return { mode, oid };
}
