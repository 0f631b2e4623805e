import type { SignedIn } from '../../../api/access/viewer.ts';
import { forbidden } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Tx } from '../../../base/database/database.ts';
import type { Oid, TreeEntry } from '../../../git/format/model.ts';
import { newObject } from '../../../git/format/new-object.ts';
import { folderTree } from '../index/tree-changes.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { freeTitle, isNoteFolder, isNoteName, nameKey, notePathOf, pathOf, suffixOf } from '../names.ts';
import { forgetDeletedAt, insertNotes, type NewNote } from '../store/notes.ts';
import { textOfBytes } from '../text/text.ts';
import { writingOf } from '../writing/changes.ts';
import type { FileEdit, NotebookChange, NotebookVersion } from '../writing/save.ts';

/** A file that was read, with its path in the notebook. */
export interface ReadFile {
  /** name in the source */
  readonly name: string;
  readonly path: string;
  readonly content: Buffer;
  /** ms */
  readonly modifiedAt: number;
  /** If another file has the path, a free path is chosen, as for a new note whose title is taken. */
  readonly mayMove?: boolean;
  /** whether the note becomes a favorite of its user */
  readonly isFavorite?: boolean;
}

/** A file of the notebook after the change. */
export interface PlacedFile {
  readonly file: ReadFile;
  readonly path: string;
  /** whether this change adds it */
  readonly isNew: boolean;
}

/** What a batch has changed. */
interface BatchResult {
  readonly notes: number;
  readonly otherFiles: number;
  readonly present: number;
  readonly notTaken: readonly { readonly name: string; readonly why: string }[];
}

/** Where a file can go. */
type Verdict =
  | { readonly kind: 'new' }
  | { readonly kind: 'present' }
  | { readonly kind: 'not-taken'; readonly why: string };

/**
 * Adds files to a notebook in one commit. Never replaces a file: a file with the same content was imported before, and
 * a file with other content remains.
 *
 * @param also runs in the transaction of the change, with all files of the batch that the notebook then has
 * @throws ForgeError `forbidden`
 */
export async function addFiles(
  viewer: SignedIn,
  version: NotebookVersion,
  files: readonly ReadFile[],
  also?: (tx: Tx, placed: readonly PlacedFile[]) => Promise<void>,
): Promise<NotebookChange<BatchResult>> {
  const { open, source } = version;
  if (!open.isWritable) throw forbidden('this notebook is read-only');
  const folders = new Folders(version);
  const added: (ReadFile & { readonly oid: Oid })[] = [];
  const notTaken: { name: string; why: string }[] = [];
  const placed: PlacedFile[] = [];
  let present = 0;
  for (const file of files) {
    const { oid } = newObject(source.objectFormat, 'blob', file.content);
    const { path, verdict } = await folders.placeFile(file, oid);
    if (verdict.kind === 'new') added.push({ ...file, path, oid });
    else if (verdict.kind === 'present') present += 1;
    else notTaken.push({ name: file.name, why: verdict.why });
    if (verdict.kind !== 'not-taken') placed.push({ file, path, isNew: verdict.kind === 'new' });
  }
  const isNote = ({ path }: ReadFile) => isNotePath(path, source.suffixes);
  const notes: NewNote[] = [];
  for (const file of added.filter(isNote)) notes.push(await noteOf(viewer, version, file));
  const edits = added.map(({ path, content }): FileEdit => ({ from: null, to: path, content }));
  const result = { notes: notes.length, otherFiles: added.length - notes.length, present, notTaken };
  if (edits.length === 0) return { commit: null, rows: async (tx) => also?.(tx, placed), result };
  return {
    commit: { message: `Import ${edits.length} ${edits.length === 1 ? 'file' : 'files'}`, edits },
    rows: async (tx) => {
      const now = currentTimeMs();
      await forgetDeletedAt(
        tx,
        open.notebook.id,
        notes.map(({ path }) => path),
      );
      await insertNotes(
        tx,
        open.notebook.id,
        notes.map((note) => ({ ...note, lastUpdateAt: now })),
      );
      await also?.(tx, placed);
    },
    result,
  };
}

async function noteOf(
  viewer: SignedIn,
  version: NotebookVersion,
  { path, oid, content, modifiedAt }: ReadFile & { readonly oid: Oid },
): Promise<NewNote> {
  const text = await textOfBytes(oid, content);
  return { ...notePathOf(path), ...text, oid, modifiedAt, lastUpdateAt: 0, ...writingOf(viewer, version) };
}

/** Whether the file at a path of the notebook is a note. */
function isNotePath(path: string, suffixes: readonly string[]): boolean {
  const names = path.split('/');
  return isNoteName(names.pop() ?? '', suffixes) && names.every(isNoteFolder);
}

type Entry = Pick<TreeEntry, 'name' | 'mode' | 'oid'>;

/** The entries of a folder, by key. Two names with one key are the same file on some file system. */
class Folder {
  readonly #byName = new Map<string, Entry>();
  readonly #byKey = new Map<string, Entry>();

  add(entry: Entry): void {
    this.#byName.set(entry.name, entry);
    this.#byKey.set(nameKey(entry.name), entry);
  }

  /** Returns the entry with this name, or with a name that is equal on some file system. */
  at(name: string): Entry | undefined {
    return this.#byName.get(name) ?? this.#byKey.get(nameKey(name));
  }
}

/** The folders of a notebook, with the files that are about to be added. */
class Folders {
  readonly #version: NotebookVersion;
  readonly #read = new Map<string, Folder>();

  constructor(version: NotebookVersion) {
    this.#version = version;
  }

  /** Reserves the path of a file, or another path if the file may move. */
  async placeFile(
    { path, mayMove = false }: ReadFile,
    oid: Oid,
  ): Promise<{ readonly path: string; readonly verdict: Verdict }> {
    const { title, category } = notePathOf(path);
    const suffix = suffixOf(path);
    const passed = new Set<string>();
    for (let free = path; ; ) {
      const verdict = await this.place(free, oid);
      if (verdict.kind !== 'not-taken' || !mayMove || passed.size === NOTE_LIMITS.importNamesTriedMax)
        return { path: free, verdict };
      passed.add(free);
      const next = freeTitle(title, suffix, (name) => passed.has(pathOf(category, name)));
      free = pathOf(category, `${next}${suffix}`);
    }
  }

  /** Reserves a path for a file, if it is free. */
  async place(path: string, oid: Oid): Promise<Verdict> {
    const names = path.split('/');
    const name = names.pop() ?? '';
    let folder = '';
    for (const part of names) {
      const entry = (await this.#folder(folder)).at(part);
      if (entry !== undefined && (entry.mode !== '040000' || entry.name !== part))
        return notTaken(`${pathOf(folder, entry.name)} is in the way of its folder`);
      folder = pathOf(folder, part);
    }
    const entry = (await this.#folder(folder)).at(name);
    if (entry === undefined) {
      await this.#add(names, { name, mode: '100644', oid });
      return { kind: 'new' };
    }
    if (entry.name !== name) return notTaken(`its name and ${entry.name} are one on some file systems`);
    if (entry.mode !== '040000' && entry.oid === oid) return { kind: 'present' };
    return notTaken('the notebook has another file of this name, which stays');
  }

  async #add(names: readonly string[], entry: Entry): Promise<void> {
    let path = '';
    for (const name of names) {
      const folder = await this.#folder(path);
      if (folder.at(name) === undefined) folder.add({ name, mode: '040000', oid: '' });
      path = pathOf(path, name);
    }
    (await this.#folder(path)).add(entry);
  }

  async #folder(path: string): Promise<Folder> {
    const known = this.#read.get(path);
    if (known !== undefined) return known;
    const { open, source } = this.#version;
    const { indexedCommit, folder: root } = open.notebook;
    const whole = [root, path].filter((part) => part !== '').join('/');
    const tree = indexedCommit === null ? null : await folderTree(source, indexedCommit, whole);
    const folder = new Folder();
    for (const entry of tree === null ? [] : await source.objects.readTree(tree)) folder.add(entry);
    this.#read.set(path, folder);
    return folder;
  }
}

function notTaken(why: string): Verdict {
  return { kind: 'not-taken', why };
}
