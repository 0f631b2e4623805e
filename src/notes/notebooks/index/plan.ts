import type { Oid } from '../../../git/format/model.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { IndexedNote, NotePath, NoteText } from '../model.ts';
import { notePathOf } from '../names.ts';
import { readNoteText } from '../text/text.ts';
import { findRenames, type NewFile } from './renames.ts';
import type { TreeSource } from './tree-changes.ts';

/** A file after a change, and its note. */
export interface PlannedNote {
  /** undefined: a new note */
  readonly note: IndexedNote | undefined;
  readonly notePath: NotePath;
  readonly oid: Oid;
  readonly text: NoteText;
}

export interface NotePlan {
  readonly gone: readonly IndexedNote[];
  readonly written: readonly PlannedNote[];
}

/** Files after a change, and the rows with their paths. */
interface PlanInput {
  /** path → blob, for files that differ from the rows */
  readonly files: ReadonlyMap<string, Oid>;
  /** all rows at the changed paths, including deleted ones */
  readonly rows: readonly IndexedNote[];
  /** path before → path after, for known renames */
  readonly renamed: ReadonlyMap<string, string>;
}

type File = NewFile & { readonly text: NoteText };

/** Finds the note of each changed file, and the deleted notes. */
export async function planNotes(source: TreeSource, input: PlanInput): Promise<NotePlan> {
  const files = await readFiles(source, input.files);
  const alive = new Map(input.rows.filter((row) => !row.isDeleted).map((row) => [row.path, row]));
  const deleted = new Map(input.rows.filter((row) => row.isDeleted).map((row) => [row.path, row]));
  const owners = ownersOf(files, alive, input.renamed);
  const kept = new Set(owners.values());
  return {
    gone: [...alive.values()].filter((row) => !kept.has(row)),
    written: files.map(({ path, oid, text }) => ({
      note: owners.get(path) ?? deleted.get(path),
      notePath: notePathOf(path),
      oid,
      text,
    })),
  };
}

/** Maps each path after the change to its note. */
function ownersOf(
  files: readonly File[],
  alive: ReadonlyMap<string, IndexedNote>,
  renamed: ReadonlyMap<string, string>,
): Map<string, IndexedNote> {
  const owners = new Map<string, IndexedNote>();
  const byPath = new Map(files.map((file) => [file.path, file]));
  const gone = new Set([...alive.values()].filter((row) => !byPath.has(row.path)));
  const came = new Set(files.filter((file) => !alive.has(file.path)));
  for (const row of gone) {
    const to = byPath.get(renamed.get(row.path) ?? '');
    if (to === undefined || !came.delete(to)) continue;
    gone.delete(row);
    owners.set(to.path, row);
  }
  const changed = files.flatMap((file) => {
    const old = alive.get(file.path);
    return old === undefined ? [] : [{ old, file }];
  });
  const moved = new Set<IndexedNote>();
  for (const { from, to } of findRenames([...gone], [...came], changed)) {
    owners.set(to.path, from);
    moved.add(from);
  }
  for (const { old, file } of changed) {
    if (!moved.has(old) && !owners.has(file.path)) owners.set(file.path, old);
  }
  return owners;
}

async function readFiles(source: TreeSource, files: ReadonlyMap<string, Oid>): Promise<readonly File[]> {
  const read: File[] = [];
  const all = [...files];
  for (let at = 0; at < all.length; at += NOTE_LIMITS.noteBlobsReadAtOnce) {
    const some = all.slice(at, at + NOTE_LIMITS.noteBlobsReadAtOnce);
    read.push(
      ...(await Promise.all(
        some.map(async ([path, oid]) => {
          const text = await readNoteText(source.objects, oid);
          return { path, oid, text, content: text.content };
        }),
      )),
    );
  }
  return read;
}
