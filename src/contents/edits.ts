import { ForgeError, invalid, notFound } from '../core/failure.ts';
import type { CommitEdit } from '../git/commit-builder.ts';
import type { NewBlob, Oid, TreeEntry, WriteSession } from '../git/model.ts';
import { findEntry } from '../git/objects/tree-edit.ts';
import { treePathProblem } from '../git/objects/tree-paths.ts';
import type { FileChange } from './model.ts';

/** @throws ForgeError `invalid` for a path that no tree may hold */
export function requirePlainPaths(change: FileChange<unknown>): void {
  const paths =
    change.kind === 'update' && change.fromPath !== undefined
      ? [change.path, change.fromPath]
      : [change.path];
  for (const path of paths) {
    const problem = treePathProblem(path);
    if (problem !== undefined) throw invalid(`${problem} [path: ${path}]`);
  }
}

/**
 * Returns the edits that make `change` on the tree of `parent` (null: no commit yet).
 *
 * @throws ForgeError `not_found`, `invalid`, `already_exists`
 */
export async function editsOf(
  session: WriteSession,
  parent: Oid | null,
  change: FileChange<NewBlob>,
): Promise<readonly CommitEdit[]> {
  const root = parent === null ? null : (await session.objects.readCommit(parent)).tree;
  const at = async (path: string) => (root === null ? undefined : findEntry(session.objects, root, path));
  const { path } = change;
  const existing = await at(path);
  if (change.kind === 'create') {
    if (existing !== undefined) throw alreadyExists(path);
    return [{ kind: 'put', path, mode: '100644', content: change.content }];
  }
  const from = change.kind === 'update' ? (change.fromPath ?? path) : path;
  const mode = requireFile(from === path ? existing : await at(from), from, change.oid);
  if (change.kind === 'delete') return [{ kind: 'remove', path }];
  const put = { kind: 'put', path, mode, content: change.content } as const;
  if (from === path) return [put];
  if (existing !== undefined) throw alreadyExists(path);
  return [{ kind: 'remove', path: from }, put];
}

function alreadyExists(path: string): ForgeError {
  return new ForgeError({ kind: 'already_exists', what: `repository file already exists [path: ${path}]` });
}

/** Returns the mode of the file to change, which must be the version that the caller has seen. */
function requireFile(entry: TreeEntry | undefined, path: string, expected: Oid): '100644' | '100755' {
  if (entry === undefined) throw notFound('path');
  if (entry.mode !== '100644' && entry.mode !== '100755')
    throw invalid(`only files can be changed [path: ${path}]`);
  if (entry.oid !== expected.toLowerCase()) {
    throw invalid(`sha does not match [given: ${expected}, expected: ${entry.oid}]`);
  }
  return entry.mode;
}
