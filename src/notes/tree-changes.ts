import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { ObjectFormat, ObjectReader, Oid, TreeEntry } from '../git/model.ts';
import { emptyTreeOid } from '../git/objects/object-format.ts';
import { findEntry } from '../git/objects/tree-edit.ts';
import { isNoteFolder, isNoteName, pathOf } from './names.ts';

/** A note's file that differs between two trees; null where one of them has none of this path. */
export interface FileChange {
  /** inside the notebook */
  readonly path: string;
  readonly before: Oid | null;
  readonly after: Oid | null;
}

/** Reads the trees of one repository. */
export interface TreeSource {
  readonly objects: ObjectReader;
  readonly objectFormat: ObjectFormat;
}

/** The tree of a notebook's folder at a commit; null where the commit has no such folder. */
export async function folderTree(source: TreeSource, commit: Oid, folder: string): Promise<Oid | null> {
  const { tree } = await source.objects.readCommit(commit);
  if (folder === '') return tree;
  const entry = await findEntry(source.objects, tree, folder);
  return entry?.mode === '040000' ? entry.oid : null;
}

/**
 * The notes' files in which two trees differ. What is the same on both sides is passed over whole, so this costs by
 * what has changed.
 *
 * @throws ForgeError `busy` where there are too many to be notes
 */
export async function compareTrees(
  source: TreeSource,
  before: Oid | null,
  after: Oid | null,
): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  const pending = [{ folder: '', before, after }];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [old, fresh] = await Promise.all([
      readEntries(source, pair.before),
      readEntries(source, pair.after),
    ]);
    for (const name of new Set([...old.keys(), ...fresh.keys()])) {
      const [one, other] = [old.get(name), fresh.get(name)];
      if (one?.oid === other?.oid && one?.mode === other?.mode) continue;
      const path = pathOf(pair.folder, name);
      const folders = { before: folderOid(one), after: folderOid(other) };
      if (folders.before !== folders.after) pending.push({ folder: path, ...folders });
      const files = { before: fileOid(one), after: fileOid(other) };
      if (files.before !== files.after) changes.push({ path, ...files });
    }
    if (changes.length > LIMITS.notesPerNotebookMax) throw tooMany();
  }
  return changes;
}

/** Names that are no text cannot be told on the interface; they stay files of the repository alone. */
async function readEntries(source: TreeSource, tree: Oid | null): Promise<ReadonlyMap<string, TreeEntry>> {
  if (tree === null || tree === emptyTreeOid(source.objectFormat)) return new Map();
  const entries = await source.objects.readTree(tree);
  return new Map(entries.filter((entry) => entry.bytes === undefined).map((entry) => [entry.name, entry]));
}

function folderOid(entry: TreeEntry | undefined): Oid | null {
  return entry?.mode === '040000' && isNoteFolder(entry.name) ? entry.oid : null;
}

/** Links are not followed: what they name may be outside. */
function fileOid(entry: TreeEntry | undefined): Oid | null {
  const isFile = entry?.mode === '100644' || entry?.mode === '100755';
  return isFile && isNoteName(entry.name) ? entry.oid : null;
}

function tooMany(): ForgeError {
  const what = `a notebook holds at most ${LIMITS.notesPerNotebookMax} notes`;
  return new ForgeError({ kind: 'busy', what, retryAfterSeconds: 3600 });
}
