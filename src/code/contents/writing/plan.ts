import { ForgeError, invalid, notFound } from '../../../base/core/failure.ts';
import type { EditedTree, FoundEntry } from '../../../git/format/edited-tree.ts';
import type { ObjectFormat, Oid, TreeMode } from '../../../git/format/model.ts';
import { newPathProblem, treePathProblem } from '../../../git/format/tree-paths.ts';
import type { NewBlob, PatchedFile } from '../../../git/interface/writes.ts';
import { GIT_LIMITS } from '../../../git/limits.ts';
import { type BlobObject, blobObject } from '../../../git/trees/write-tree.ts';
import type { FileContent } from '../file-contents.ts';
import type { FileChange } from '../model.ts';

/** A change whose content has arrived. Only its id goes into the tree. */
type ReadyChange = FileChange<BlobObject, BlobObject>;

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

const NO_CONTENT = new Uint8Array();

/** @param arrived what the contents became; without a blob, a new file is empty, and an updated one keeps its content */
export function readyChanges(
  format: ObjectFormat,
  changes: readonly FileChange[],
  arrived: ReadonlyMap<FileContent, NewBlob | undefined>,
): readonly ReadyChange[] {
  return changes.map((change) => {
    if (change.kind === 'delete') return change;
    const blob = change.content && arrived.get(change.content);
    if (change.kind === 'update') return { ...change, content: blob && blobObject(format, blob) };
    return { ...change, content: blobObject(format, blob ?? NO_CONTENT) };
  });
}

export function contentOf<Content>(change: FileChange<Content>): Content | undefined {
  return change.kind === 'delete' ? undefined : change.content;
}

/** What an edited tree needs to become a commit. */
export interface PlannedCommit {
  readonly blobs: readonly BlobObject[];
  /** the message if the request has none */
  readonly summary: string;
}

/**
 * Makes `changes` in a tree, one after the other: each finds the paths that the changes before it have freed. Compares the
 * `sha` of each change with the file that it finds. Nothing is written.
 *
 * @throws ForgeError `not_found`, `invalid`, `already_exists`, for the first change that cannot be made
 */
export async function planChanges(tree: EditedTree, changes: readonly ReadyChange[]): Promise<PlannedCommit> {
  if (tree.base === null) requireCreations(changes);
  for (const change of changes) {
    if (change.kind === 'create') await create(tree, change);
    else if (change.kind === 'upload') await upload(tree, change);
    else if (change.kind === 'update') await update(tree, change);
    else await remove(tree, change);
  }
  return { blobs: changes.flatMap((change) => contentOf(change) ?? []), summary: summaryOf(changes) };
}

/**
 * Makes the changes of a patch in a tree. Removes files before it puts others, because a new file may have the name of a
 * folder that is emptied.
 *
 * @throws ForgeError `invalid`
 */
export async function planPatch(tree: EditedTree, files: readonly PatchedFile[]): Promise<PlannedCommit> {
  if (files.length === 0) throw invalid('the patch changes no files');
  for (const { path, after } of files) if (after === null) await tree.remove(path);
  for (const { path, after } of files) if (after !== null) await tree.put(path, after);
  return { blobs: [], summary: summaryOf(files.map(changeOfPatch)) };
}

/** The first commit of a repository only creates files. */
function requireCreations(changes: readonly FileChange<unknown>[]): void {
  for (const change of changes) {
    if (change.kind === 'update' || (change.kind === 'create' && change.isUpdate))
      throw invalid('repo is empty');
    if (change.kind === 'delete') throw notFound('path');
  }
}

type Change<Kind extends ReadyChange['kind']> = Extract<ReadyChange, { readonly kind: Kind }>;

async function create(tree: EditedTree, { path, content, isUpdate }: Change<'create'>): Promise<void> {
  await requireFree(tree, path, isUpdate === true ? ': send its sha to change it' : '');
  await tree.put(path, { mode: '100644', oid: content.oid });
}

async function upload(tree: EditedTree, { path, content, oid }: Change<'upload'>): Promise<void> {
  const existing = await tree.at(path);
  const isNew = existing === undefined && oid === undefined;
  const mode = isNew ? '100644' : requireFile(existing, path, oid).mode;
  await tree.put(path, { mode, oid: content.oid });
}

async function update(
  tree: EditedTree,
  { path, content, oid: expected, fromPath: from = path }: Change<'update'>,
): Promise<void> {
  const found = await tree.at(from);
  const { mode, oid } =
    from === path ? requireFile(found, path, expected) : requireMovable(found, from, expected);
  if (mode === '120000') requireTarget(content, path);
  if (from !== path) {
    await tree.remove(from);
    await requireFree(tree, path);
  }
  await tree.put(path, { mode, oid: content?.oid ?? oid });
}

async function remove(tree: EditedTree, { path, oid }: Change<'delete'>): Promise<void> {
  requireRemovable(await tree.at(path), path, oid);
  await tree.remove(path);
}

/**
 * @param advice for a file at this path
 * @throws ForgeError `already_exists`
 */
async function requireFree(tree: EditedTree, path: string, advice = ''): Promise<void> {
  const found = await tree.at(path);
  if (found === undefined) return;
  const what =
    found.isPut || isFileMode(found.mode)
      ? `repository file already exists [path: ${path}]${advice}`
      : `${WHAT[found.mode]} already exists [path: ${path}]`;
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
type Found = FoundEntry | undefined;

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
function requireTarget(blob: BlobObject | undefined, path: string): void {
  if (blob === undefined) return;
  const isTarget =
    'content' in blob &&
    blob.content.length > 0 &&
    blob.content.length < GIT_LIMITS.treePathBytesMax &&
    !blob.content.includes(0);
  if (!isTarget) throw invalid(`the content of a symbolic link is the path that it leads to [path: ${path}]`);
}

function requireRemovable(found: Found, path: string, expected: Oid): void {
  requireSeen(requireChangeable(found, path).oid, path, expected);
}

/** @throws ForgeError `not_found`; `invalid` for a folder, a path that no new file may have, and a path that this commit has written already */
function requireChangeable(found: Found, path: string): Changed<FileMode | '120000' | '160000'> {
  if (found === undefined) throw absent(path);
  if (found.isPut) throw invalid(`a file can be changed once in a commit [path: ${path}]`);
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

function changeOfPatch({ path, before, after }: PatchedFile): { path: string; kind: FileChange['kind'] } {
  if (after === null) return { path, kind: 'delete' };
  return { path, kind: before === null ? 'create' : 'update' };
}

const VERBS = { create: 'Add', update: 'Update', upload: 'Update', delete: 'Delete' } as const;

/** Returns one line for each kind of change, with its paths. */
function summaryOf(changes: readonly Pick<FileChange, 'kind' | 'path'>[]): string {
  const lines = (['Add', 'Update', 'Delete'] as const).flatMap((verb) => {
    const paths = changes.filter(({ kind }) => VERBS[kind] === verb).map(({ path }) => path);
    return paths.length === 0 ? [] : [`${verb} ${paths.join(', ')}`];
  });
  return lines.join('\n');
}
