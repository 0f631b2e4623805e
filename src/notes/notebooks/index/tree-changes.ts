import { ForgeError } from '../../../base/core/failure.ts';
import type { ObjectFormat, Oid, TreeEntry } from '../../../git/format/model.ts';
import { isQuoted } from '../../../git/format/name-bytes.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';
import { changedEntries, openCompared } from '../../../git/trees/changed-entries.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { isNoteFolder, isNoteName, pathOf } from '../names.ts';

/** The file of a note that differs between two trees; null: absent from that tree. */
export interface FileChange {
  /** path in the notebook */
  readonly path: string;
  readonly before: Oid | null;
  readonly after: Oid | null;
}

/** Reads the trees of one repository. */
export interface TreeSource {
  readonly objects: ObjectReader;
  readonly objectFormat: ObjectFormat;
  /** suffixes of notes, in addition to the usual ones */
  readonly suffixes: readonly string[];
}

/** Returns the tree of a notebook's folder at a commit; null if the commit has no such folder. */
export async function folderTree(source: TreeSource, commit: Oid, folder: string): Promise<Oid | null> {
  const { tree } = await source.objects.readCommit(commit);
  if (folder === '') return tree;
  const entry = await findEntry(source.objects, tree, folder);
  return entry?.mode === '040000' ? entry.oid : null;
}

/**
 * Lists the files of notes that differ between two trees. Skips equal folders, so the cost depends on the changes.
 *
 * @throws ForgeError `busy` if there are more than `filesMax`
 */
export async function compareTrees(
  source: TreeSource,
  before: Oid | null,
  after: Oid | null,
  filesMax: number = NOTE_LIMITS.notesPerNotebookMax,
): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  const pending = [{ folder: '', before, after }];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [old, fresh] = await Promise.all([
      openCompared(source, pair.before),
      openCompared(source, pair.after),
    ]);
    for (const { before: one, after: other, either } of changedEntries(old, fresh)) {
      // Skips names that are not text, because a title is text.
      if (isQuoted(either.name)) continue;
      const path = pathOf(pair.folder, either.name);
      const folders = { before: folderOid(one), after: folderOid(other) };
      if (folders.before !== folders.after) pending.push({ folder: path, ...folders });
      const files = { before: fileOid(source, one), after: fileOid(source, other) };
      if (files.before !== files.after) changes.push({ path, ...files });
    }
    if (changes.length > filesMax) throw tooMany(filesMax);
  }
  return changes;
}

function folderOid(entry: TreeEntry | undefined): Oid | null {
  return entry?.mode === '040000' && isNoteFolder(entry.name) ? entry.oid : null;
}

/** Returns the id of a file. Ignores links, because their targets may be outside the notebook. */
function fileOid({ suffixes }: TreeSource, entry: TreeEntry | undefined): Oid | null {
  const isFile = entry?.mode === '100644' || entry?.mode === '100755';
  return isFile && isNoteName(entry.name, suffixes) ? entry.oid : null;
}

function tooMany(filesMax: number): ForgeError {
  const what = `more than ${filesMax} notes differ`;
  return new ForgeError({ kind: 'busy', what, retryAfterSeconds: 3600 });
}
