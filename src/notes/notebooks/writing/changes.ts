import type { SignedIn } from '../../../api/access/viewer.ts';
import { forbidden } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Tx } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import { newObject } from '../../../git/format/new-object.ts';
import { credentialOf, writerOf } from '../credentials.ts';
import { folderTree } from '../index/tree-changes.ts';
import type { Note, NoteEdit, SentVersion } from '../model.ts';
import {
  categoryOf,
  freeTitle,
  isNoteFolder,
  nameKey,
  notePathOf,
  pathOf,
  suffixOf,
  titleOf,
} from '../names.ts';
import {
  forgetDeletedAt,
  insertNote,
  markDeleted,
  type NewNote,
  setFavorite,
  setNote,
  setTimes,
} from '../store/notes.ts';
import { forgetVersions, setSent, storeVersions } from '../store/versions.ts';
import { noteText } from '../text/text.ts';
import { type NoteChange, storable } from './edits.ts';
import type { FileEdit, NotebookChange, NotebookVersion, SideEdit } from './save.ts';

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
  readonly sent: Sent;
}

/** What the client sent. It differs from the change if it was merged with edits of other clients. */
export interface Sent {
  /** title and category as the client knows them; null if the client sent no text */
  readonly version: Omit<SentVersion, 'counter' | 'oid'> | null;
  /** the sent text, as an edit of the version from which it was made; null if nothing was merged */
  readonly side: SideEdit | null;
}

/** Leaves a notebook as it is. */
export function unchanged<T>(result: T): NotebookChange<T> {
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
  const writing = writingOf(viewer, version);
  const added = { id: 0 };
  return {
    commit: { message: `Add ${path}`, edits: [{ from: null, to: path, content }] },
    rows: async (tx) => {
      const now = currentTimeMs();
      const times = { modifiedAt: edit.modifiedAt ?? now, lastUpdateAt: now };
      await forgetDeletedAt(tx, notebook.id, [path]);
      added.id = await insertNote(tx, notebook.id, { ...note, ...times, ...writing });
      await recordSent(tx, viewer, added.id, { ...note, counter: writing.counter });
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
  { note, change, sent, result }: { note: Note; change: NoteChange; sent: Sent; result: T },
): Promise<NotebookChange<T>> {
  const path = await pathAfter(version, note, change);
  const edit: Edit = { viewer, version, note, path, change, sent };
  const edits = fileEditsOf(edit);
  // The sent text is stored even if nothing of it remains after the merge, because later edits may be made from it.
  if (edits.length === 0 && sent.side === null) return { commit: null, rows: rowsWithoutFile(edit), result };
  const isMove = path !== note.path;
  return {
    commit: {
      message: isMove ? `Move ${note.path} to ${path}` : `Update ${path}`,
      edits,
      ...(sent.side === null ? {} : { side: sent.side }),
    },
    rows: async (tx) => {
      if (isMove) await forgetDeletedAt(tx, version.open.notebook.id, [path]);
      await storeVersion(tx, edit);
      await setNote(tx, note.id, editedNote(edit, currentTimeMs()));
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
    rows: async (tx) => {
      await storeVersions(tx, version.open.notebook, [note.id]);
      await markDeleted(tx, [note.id], currentTimeMs());
    },
    result,
  };
}

/** Writes the fields that git does not store: the time that a client sets, and favorites. */
function rowsWithoutFile(edit: Edit): NotebookChange<unknown>['rows'] {
  const { viewer, version, note, change } = edit;
  const { modifiedAt, isFavorite } = change;
  if (modifiedAt === undefined && isFavorite === undefined) return null;
  return async (tx) => {
    await storeVersion(tx, edit);
    const times = { modifiedAt: modifiedAt ?? note.modifiedAt, lastUpdateAt: currentTimeMs() };
    await setTimes(tx, note.id, { ...times, ...writingOf(viewer, version) });
    await writeFavorite(tx, edit);
  };
}

async function pathAfter(version: NotebookVersion, note: Note, { move }: NoteChange): Promise<string> {
  if (move === undefined) return note.path;
  return freePath(version, { ...move, suffix: suffixOf(note.path) }, note);
}

/**
 * Finds a path that no file has.
 *
 * @param self a note that moves; its present name counts as free
 */
export async function freePath(
  version: NotebookVersion,
  wanted: WantedNotePath,
  self?: Pick<Note, 'title' | 'category'>,
): Promise<string> {
  const { title, suffix } = wanted;
  const { category, names } = await folderFor(version, wanted.category);
  const own = self?.category === category ? nameKey(`${self.title}${suffix}`) : undefined;
  const isTaken = (name: string) => nameKey(name) !== own && names.has(nameKey(name));
  return pathOf(category, `${freeTitle(title, suffix, isTaken)}${suffix}`);
}

interface FolderOfNotes {
  /** path of the folder, as its names are spelled */
  readonly category: string;
  /** keys of the names in the folder; two names with one key are the same file on some file system */
  readonly names: ReadonlySet<string>;
}

/** Finds the folder of a category. A folder whose name is equal on some file system is used instead of a new one. */
async function folderFor({ open, source }: NotebookVersion, category: string): Promise<FolderOfNotes> {
  const { indexedCommit, folder } = open.notebook;
  const wanted = category === '' ? [] : category.split('/');
  if (indexedCommit === null) return { category, names: new Set() };
  let tree = await folderTree(source, indexedCommit, folder);
  for (const [index, name] of wanted.entries()) {
    const folders = await foldersIn(source, tree);
    const found =
      folders.find((each) => each.name === name) ??
      folders.find((each) => nameKey(each.name) === nameKey(name));
    wanted[index] = found?.name ?? name;
    tree = found?.oid ?? null;
  }
  const entries = tree === null ? [] : await source.objects.readTree(tree);
  return { category: wanted.join('/'), names: new Set(entries.map(({ name }) => nameKey(name))) };
}

async function foldersIn(source: NotebookVersion['source'], tree: Oid | null) {
  const entries = tree === null ? [] : await source.objects.readTree(tree);
  return entries.filter(({ mode, name }) => mode === '040000' && isNoteFolder(name));
}

function fileEditsOf({ note, path, change }: Edit): readonly FileEdit[] {
  const { content } = change;
  if (content === undefined && path === note.path) return [];
  return [{ from: note.path, to: path, content: content === undefined ? null : Buffer.from(content) }];
}

function editedNote({ viewer, version, note, path, change }: Edit, now: number): NewNote {
  const { content, modifiedAt } = change;
  const written = { ...notePathOf(path), ...writingOf(viewer, version), lastUpdateAt: now };
  if (content === undefined) return { ...note, ...written, modifiedAt: modifiedAt ?? note.modifiedAt };
  const oid = blobOid(version, Buffer.from(content));
  return { ...noteText(content), ...written, oid, modifiedAt: modifiedAt ?? now };
}

/** Stores the version before the edit, and the text that the client sent. */
async function storeVersion(tx: Tx, { viewer, version, note, change, sent }: Edit): Promise<void> {
  const togglesFavoriteOf = change.isFavorite === undefined ? null : viewer.accountId;
  await storeVersions(tx, version.open.notebook, [note.id], { togglesFavoriteOf });
  await forgetVersions(tx, note.id);
  if (sent.version === null) return;
  const content = sent.side?.content ?? change.content;
  const oid = content === undefined ? note.oid : blobOid(version, Buffer.from(content));
  await recordSent(tx, viewer, note.id, {
    ...sent.version,
    oid,
    counter: writingOf(viewer, version).counter,
  });
}

async function recordSent(tx: Tx, viewer: SignedIn, id: number, version: SentVersion): Promise<void> {
  await setSent(tx, credentialOf(viewer), id, version);
}

/** Returns who writes a note, and the counter of the notebook with this change. */
export function writingOf(viewer: SignedIn, { open }: NotebookVersion) {
  return { counter: open.notebook.counter + 1, writtenBy: writerOf(credentialOf(viewer)) };
}

function blobOid({ source }: NotebookVersion, content: Uint8Array): Oid {
  return newObject(source.objectFormat, 'blob', content).oid;
}

async function writeFavorite(tx: Tx, { viewer, note, change }: Edit): Promise<void> {
  if (change.isFavorite !== undefined) await setFavorite(tx, note.id, viewer.accountId, change.isFavorite);
}
