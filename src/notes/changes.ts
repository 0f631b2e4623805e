import type { SignedIn } from '../access/viewer.ts';
import { forbidden } from '../core/failure.ts';
import type { Tx } from '../database/database.ts';
import type { Oid } from '../git/model.ts';
import { newObject } from '../git/objects/new-object.ts';
import { type NoteChange, storable } from './edits.ts';
import type { Note, NoteEdit } from './model.ts';
import { categoryOf, freeTitle, nameKey, notePathOf, pathOf, suffixOf, titleOf } from './names.ts';
import type { FileEdit, NotebookChange, NotebookVersion } from './save.ts';
import {
  forgetDeletedAt,
  insertNote,
  markDeleted,
  type NewNote,
  setFavorite,
  setNote,
  setTimes,
} from './store/notes.ts';
import { noteText } from './text.ts';
import { folderTree } from './tree-changes.ts';

/** Where a note belongs, before a free name is found there. */
interface WantedNotePath {
  readonly title: string;
  readonly category: string;
  readonly suffix: string;
}

/** An edit of one note, with its final path. */
interface Edit {
  readonly viewer: SignedIn;
  readonly version: NotebookVersion;
  readonly note: Note;
  readonly path: string;
  readonly change: NoteChange;
}

/** Leaves a notebook as it is. */
export function keep<T>(result: T): NotebookChange<T> {
  return { commit: null, rows: null, result };
}

/**
 * Adds a note.
 *
 * @returns the change; its result has the id once the rows are written
 * @throws ForgeError `forbidden`, `invalid`, `too_large`
 */
export async function addNote(
  viewer: SignedIn,
  version: NotebookVersion,
  edit: NoteEdit,
): Promise<NotebookChange<{ readonly id: number }>> {
  const { notebook, settings, isWritable } = version.open;
  if (!isWritable) throw forbidden('this notebook is read-only');
  const suffix = settings.fileSuffix;
  const title = titleOf(edit.title ?? '', suffix);
  const path = await freePath(version, { title, category: categoryOf(edit.category ?? ''), suffix });
  const content = Buffer.from(storable(edit.content ?? ''));
  const note = { ...notePathOf(path), ...noteText(content.toString()), oid: blobOid(version, content) };
  const added = { id: 0 };
  return {
    commit: { message: `Add ${path}`, edits: [{ from: null, to: path, content }] },
    rows: async (tx) => {
      const now = Date.now();
      const times = { modifiedAt: edit.modifiedAt ?? now, lastUpdateAt: now };
      await forgetDeletedAt(tx, notebook.id, [path]);
      added.id = await insertNote(tx, notebook.id, { ...note, ...times });
      if (edit.isFavorite === true) await setFavorite(tx, added.id, viewer.accountId, true);
    },
    result: added,
  };
}

/**
 * Changes a note: its file, if its text, title or category changes, and its rows.
 *
 * @throws ForgeError `invalid`
 */
export async function editNote<T>(
  viewer: SignedIn,
  version: NotebookVersion,
  { note, change, result }: { note: Note; change: NoteChange; result: T },
): Promise<NotebookChange<T>> {
  const path = await pathAfter(version, note, change);
  const edit: Edit = { viewer, version, note, path, change };
  const edits = fileEditsOf(edit);
  if (edits.length === 0) return { commit: null, rows: rowsWithoutFile(edit), result };
  const isMove = path !== note.path;
  return {
    commit: { message: isMove ? `Move ${note.path} to ${path}` : `Update ${path}`, edits },
    rows: async (tx) => {
      if (isMove) await forgetDeletedAt(tx, version.open.notebook.id, [path]);
      await setNote(tx, note.id, editedNote(edit, Date.now()));
      await writeFavorite(tx, edit);
    },
    result,
  };
}

/** @throws ForgeError `forbidden` */
export function removeNote<T>(version: NotebookVersion, note: Note, result: T): NotebookChange<T> {
  if (!version.open.isWritable) throw forbidden('this note is read-only');
  return {
    commit: { message: `Delete ${note.path}`, edits: [{ from: note.path, to: null, content: null }] },
    rows: (tx) => markDeleted(tx, [note.id], Date.now()),
    result,
  };
}

/** Writes the fields that git does not store: the time that a client sets, and favorites. */
function rowsWithoutFile(edit: Edit): NotebookChange<unknown>['rows'] {
  const { note, change } = edit;
  const { modifiedAt, isFavorite } = change;
  if (modifiedAt === undefined && isFavorite === undefined) return null;
  return async (tx) => {
    await setTimes(tx, note.id, { modifiedAt: modifiedAt ?? note.modifiedAt, lastUpdateAt: Date.now() });
    await writeFavorite(tx, edit);
  };
}

async function pathAfter(version: NotebookVersion, note: Note, { move }: NoteChange): Promise<string> {
  if (move === undefined) return note.path;
  return freePath(version, { ...move, suffix: suffixOf(note.path) }, note);
}

/** @param self a note that moves: its own name is free for it */
async function freePath(version: NotebookVersion, wanted: WantedNotePath, self?: Note): Promise<string> {
  const { title, category, suffix } = wanted;
  const names = await nameKeysIn(version, category);
  const own = self?.category === category ? nameKey(`${self.title}${suffix}`) : undefined;
  const isTaken = (name: string) => nameKey(name) !== own && names.has(nameKey(name));
  return pathOf(category, `${freeTitle(title, suffix, isTaken)}${suffix}`);
}

/** Returns the keys of the names in a folder: two names with one key are the same file on some file system. */
async function nameKeysIn({ open, source }: NotebookVersion, category: string): Promise<ReadonlySet<string>> {
  const { indexedCommit, folder } = open.notebook;
  if (indexedCommit === null) return new Set();
  const tree = await folderTree(source, indexedCommit, category === '' ? folder : pathOf(folder, category));
  const entries = tree === null ? [] : await source.objects.readTree(tree);
  return new Set(entries.map(({ name }) => nameKey(name)));
}

function fileEditsOf({ note, path, change }: Edit): readonly FileEdit[] {
  const { content } = change;
  if (content === undefined && path === note.path) return [];
  return [{ from: note.path, to: path, content: content === undefined ? null : Buffer.from(content) }];
}

function editedNote({ version, note, path, change }: Edit, now: number): NewNote {
  const { content, modifiedAt } = change;
  const notePath = notePathOf(path);
  if (content === undefined) {
    return { ...note, ...notePath, modifiedAt: modifiedAt ?? note.modifiedAt, lastUpdateAt: now };
  }
  const oid = blobOid(version, Buffer.from(content));
  return { ...notePath, ...noteText(content), oid, modifiedAt: modifiedAt ?? now, lastUpdateAt: now };
}

function blobOid({ source }: NotebookVersion, content: Uint8Array): Oid {
  return newObject(source.objectFormat, 'blob', content).oid;
}

async function writeFavorite(tx: Tx, { viewer, note, change }: Edit): Promise<void> {
  if (change.isFavorite !== undefined) await setFavorite(tx, note.id, viewer.accountId, change.isFavorite);
}
