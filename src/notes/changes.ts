import type { SignedIn } from '../access/viewer.ts';
import { forbidden } from '../core/failure.ts';
import type { Database, Tx } from '../database/database.ts';
import { newObject } from '../git/objects/new-object.ts';
import { type NoteChange, storable } from './edits.ts';
import type { Note, NoteEdit, OpenNotebook } from './model.ts';
import { categoryOf, freeTitle, nameKey, notePathOf, pathOf, suffixOf, titleOf } from './names.ts';
import { advance, type FileEdit, type Saving } from './save.ts';
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

/** Where a note belongs, before it is made sure that its name is free. */
interface WantedNotePath {
  readonly title: string;
  readonly category: string;
  readonly suffix: string;
}

/** An edit of one note, with its path as it will be. */
interface Edit {
  readonly viewer: SignedIn;
  readonly open: OpenNotebook;
  readonly note: Note;
  readonly path: string;
  readonly change: NoteChange;
}

/** Each change of a note as one commit and the rows that follow from it. */
export class NoteChanges {
  readonly #database: Database;
  readonly #saving: Saving;

  constructor(dependencies: { database: Database; saving: Saving }) {
    this.#database = dependencies.database;
    this.#saving = dependencies.saving;
  }

  /**
   * @returns the id of the new note
   * @throws Superseded, ForgeError `forbidden`, `invalid`, `too_large`
   */
  async create(viewer: SignedIn, open: OpenNotebook, edit: NoteEdit): Promise<number> {
    if (!open.isWritable) throw forbidden('this notebook is read-only');
    const suffix = open.settings.fileSuffix;
    const title = titleOf(edit.title ?? '', suffix);
    const path = await this.#freePath(open, { title, category: categoryOf(edit.category ?? ''), suffix });
    const content = Buffer.from(storable(edit.content ?? ''));
    const blob = newObject(open.objectFormat, 'blob', content);
    const note = { ...notePathOf(path), ...noteText(content.toString()), oid: blob.oid };
    let id = 0;
    await this.#saving.save({
      open,
      viewer,
      message: `Add ${path}`,
      edits: [{ from: null, to: path, content }],
      inTransaction: async (tx) => {
        const now = Date.now();
        const times = { modifiedAt: edit.modifiedAt ?? now, lastUpdateAt: now };
        await forgetDeletedAt(tx, open.notebook.id, [path]);
        id = await insertNote(tx, open.notebook.id, { ...note, ...times });
        if (edit.isFavorite === true) await setFavorite(tx, id, viewer.accountId, true);
      },
    });
    return id;
  }

  /** @throws Superseded, ForgeError `forbidden`, `invalid` */
  async edit(viewer: SignedIn, open: OpenNotebook, note: Note, change: NoteChange): Promise<void> {
    const path = await this.#pathAfter(open, note, change);
    const edit: Edit = { viewer, open, note, path, change };
    const edits = fileEditsOf(edit);
    if (edits.length === 0) return this.#editRows(edit);
    await this.#saving.save({
      open,
      viewer,
      message: path === note.path ? `Update ${path}` : `Move ${note.path} to ${path}`,
      edits,
      inTransaction: async (tx) => {
        if (path !== note.path) await forgetDeletedAt(tx, open.notebook.id, [path]);
        await setNote(tx, note.id, editedNote(edit, Date.now()));
        await setMark(tx, edit);
      },
    });
  }

  /** What git has no place for. */
  async #editRows(edit: Edit): Promise<void> {
    const { open, note, change } = edit;
    const { modifiedAt, isFavorite } = change;
    if (modifiedAt === undefined && isFavorite === undefined) return;
    await this.#database.transaction(async (tx) => {
      await advance(tx, open.notebook, open.notebook.indexedCommit);
      await setTimes(tx, note.id, { modifiedAt: modifiedAt ?? note.modifiedAt, lastUpdateAt: Date.now() });
      await setMark(tx, edit);
    });
  }

  /** @throws Superseded, ForgeError `forbidden` */
  async remove(viewer: SignedIn, open: OpenNotebook, note: Note): Promise<void> {
    if (!open.isWritable) throw forbidden('this note is read-only');
    await this.#saving.save({
      open,
      viewer,
      message: `Delete ${note.path}`,
      edits: [{ from: note.path, to: null, content: null }],
      inTransaction: (tx) => markDeleted(tx, [note.id], Date.now()),
    });
  }

  async #pathAfter(open: OpenNotebook, note: Note, { move }: NoteChange): Promise<string> {
    if (move === undefined) return note.path;
    return this.#freePath(open, { ...move, suffix: suffixOf(note.path) }, note);
  }

  /** @param self the note that is moved: its own name is free for it */
  async #freePath(open: OpenNotebook, wanted: WantedNotePath, self?: Note): Promise<string> {
    const { title, category, suffix } = wanted;
    const names = await this.#saving.namesIn(open, category);
    const own = self?.category === category ? nameKey(`${self.title}${suffix}`) : undefined;
    const isTaken = (name: string) => nameKey(name) !== own && names.has(nameKey(name));
    return pathOf(category, `${freeTitle(title, suffix, isTaken)}${suffix}`);
  }
}

function fileEditsOf({ note, path, change }: Edit): readonly FileEdit[] {
  const { content } = change;
  if (content === undefined && path === note.path) return [];
  return [{ from: note.path, to: path, content: content === undefined ? null : Buffer.from(content) }];
}

function editedNote({ open, note, path, change }: Edit, now: number): NewNote {
  const { content, modifiedAt } = change;
  const notePath = notePathOf(path);
  if (content === undefined) {
    return { ...note, ...notePath, modifiedAt: modifiedAt ?? note.modifiedAt, lastUpdateAt: now };
  }
  const { oid } = newObject(open.objectFormat, 'blob', Buffer.from(content));
  return { ...notePath, ...noteText(content), oid, modifiedAt: modifiedAt ?? now, lastUpdateAt: now };
}

async function setMark(tx: Tx, { viewer, note, change }: Edit): Promise<void> {
  if (change.isFavorite !== undefined) await setFavorite(tx, note.id, viewer.accountId, change.isFavorite);
}
