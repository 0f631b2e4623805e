import type { SignedIn } from '../../../api/access/viewer.ts';
import { undefinedIf } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { RemoteError } from '../../../git/remote/model.ts';
import type { NoteSearchIndex } from '../index/search-index.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { Notebook } from '../model.ts';
import { categoryOf, isNoteName, pathOf, titleOf } from '../names.ts';
import type { Notes } from '../service.ts';
import {
  type ImportedNote,
  type ImportState,
  listImported,
  openImport,
  setImported,
  setImportState,
} from '../store/imports.ts';
import { addFavorites, listNotesAt } from '../store/notes.ts';
import { noteText } from '../text/text.ts';
import { noteVersion } from '../versions.ts';
import type { NotebookWriter } from '../writing/save.ts';
import { addFiles, type PlacedFile, type ReadFile } from './batch.ts';
import { type ImportProgress, NotTakenError } from './model.ts';
import { filesNamedIn } from './named-files.ts';
import { importedPath } from './names.ts';
import type { NotesServer, RemoteNote } from './notes-server.ts';
import { newProgress, notTake } from './progress.ts';

/** One import that is running. */
interface Running {
  readonly viewer: SignedIn;
  readonly server: NotesServer;
  readonly state: ImportState;
  readonly progress: ImportProgress;
}

/** A note of the other server, and the file that it becomes. */
interface Arriving {
  readonly note: RemoteNote;
  readonly file: ReadFile;
}

interface Dependencies {
  readonly database: Database;
  readonly writer: NotebookWriter;
  readonly notes: Notes;
  readonly searchIndex: NoteSearchIndex;
}

/**
 * Imports the notes of another server. Rows record which note here came from which note there, and the state of both
 * notes. So a later import reads only notes that have changed there, and does not overwrite changes that were made
 * here.
 */
export class NoteServerImport {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Imports the changes since the last import of this user there, or continues an import that ended early.
   *
   * @param onProgress called after each chunk
   * @throws RemoteError, OutboundError; ForgeError as `NotebookWriter.write`
   */
  async import(
    viewer: SignedIn,
    server: NotesServer,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportProgress> {
    const { accountId } = viewer;
    const state = await this.#use.database.transaction((tx) => openImport(tx, accountId, server.source));
    const running = { viewer, server, state, progress: newProgress() };
    let { cursor, completeSince } = state;
    let notebook: Notebook | undefined;
    for (let seen = 0; ; ) {
      const chunk = await server.chunk({ since: state.completeSince, cursor });
      seen += chunk.notes.length + chunk.notTaken.length;
      if (seen > NOTE_LIMITS.importServerNotesMax)
        throw new RemoteError(`the source has more than ${NOTE_LIMITS.importServerNotesMax} notes`);
      for (const each of chunk.notTaken) notTake(running.progress, each);
      notebook = (await this.#importChunk(running, chunk.notes)) ?? notebook;
      const isLast = chunk.next === null;
      // If the list has no time, the next import compares all notes.
      if (isLast) completeSince = Math.max(0, chunk.startedAt ?? 0);
      cursor = chunk.next ?? '';
      const now = { id: state.id, completeSince, cursor };
      await this.#use.database.transaction((tx) => setImportState(tx, now));
      onProgress(running.progress);
      if (isLast) break;
    }
    if (notebook !== undefined) await this.#use.searchIndex.catchUpFully(notebook);
    return running.progress;
  }

  /** @returns the notebook before the change, if something was added */
  async #importChunk(running: Running, notes: readonly RemoteNote[]): Promise<Notebook | undefined> {
    const { state, progress } = running;
    const ids = notes.map(({ id }) => id);
    const known = await listImported(this.#use.database.reader, state.id, ids);
    const fresh = notes.flatMap((note) => {
      const before = known.get(note.id);
      const isSame = before?.etag === note.etag && note.etag !== '';
      if (isSame) progress.present += 1;
      const file = isSame ? undefined : arrivingFile(note, progress);
      return file === undefined ? [] : [{ note, before, file }];
    });
    await this.#importAttachments(
      running,
      fresh.map(({ note }) => note),
    );
    const added: Arriving[] = [];
    for (const { note, before, file } of fresh) {
      if (before === undefined || (await this.#update(running, note, before)) === 'anew')
        added.push({ note, file });
    }
    return added.length === 0 ? undefined : this.#add(running, added);
  }

  async #add({ viewer, state, progress }: Running, added: readonly Arriving[]): Promise<Notebook> {
    const files = added.map(({ file }) => file);
    const notesOf = new Map(added.map(({ note, file }) => [file, note]));
    const { open, result } = await this.#use.writer.write(viewer, (version) =>
      addFiles(viewer, version, files, (tx, placed) => {
        const { id } = version.open.notebook;
        return record(
          tx,
          { importId: state.id, notebookId: id, accountId: viewer.accountId },
          placed,
          notesOf,
        );
      }),
    );
    progress.notes += result.notes;
    progress.present += result.present;
    for (const each of result.notTaken) notTake(progress, each);
    return open.notebook;
  }

  /**
   * Applies the changes of the other server to a note that was imported before. Does not overwrite changes that were
   * made here. If both texts have changed, the text of the source becomes a new note.
   *
   * @returns `anew` if the caller has to add the note, as such a copy or because the note here was deleted
   */
  async #update(running: Running, remote: RemoteNote, before: ImportedNote): Promise<'done' | 'anew'> {
    const { viewer, state, progress } = running;
    const note = await this.#find(viewer, before.noteId);
    if (note === undefined) return 'anew';
    const { contentHash } = noteText(remote.content);
    const isChangedThere = contentHash !== before.contentHash;
    const isChangedHere = note.contentHash !== before.contentHash;
    if (isChangedThere && isChangedHere && note.contentHash !== contentHash) {
      progress.copies += 1;
      return 'anew';
    }
    const isMovedThere = remote.title !== before.title || remote.category !== before.category;
    const isMovedHere = note.path !== before.path;
    const replacesText = isChangedThere && !isChangedHere;
    const edited = await this.#use.notes.edit(
      viewer,
      note.id,
      {
        ...(replacesText ? { content: remote.content } : {}),
        ...(isMovedThere && !isMovedHere ? { title: remote.title, category: remote.category } : {}),
        ...(isChangedHere ? {} : { modifiedAt: remote.modified * 1000 }),
        ...(remote.isFavorite === before.isFavorite ? {} : { isFavorite: remote.isFavorite }),
      },
      (version) => version === noteVersion(note),
    );
    if (!edited.isApplied) {
      notTake(progress, { name: `note ${remote.id}`, why: 'it is being changed here: import again' });
      return 'done';
    }
    const now = importedNote(remote, {
      noteId: note.id,
      path: isMovedHere ? before.path : edited.note.path,
      contentHash: isChangedHere && !isChangedThere ? before.contentHash : contentHash,
    });
    await this.#use.database.transaction((tx) => setImported(tx, state.id, [now]));
    progress.changed += 1;
    return 'done';
  }

  async #find(viewer: SignedIn, id: number) {
    return (await this.#use.notes.find(viewer, id).catch(undefinedIf('not_found')))?.note;
  }

  /**
   * Imports the files beside notes that their texts name. This happens before the notes are added, so that a new note
   * is complete.
   */
  async #importAttachments(running: Running, notes: readonly RemoteNote[]): Promise<void> {
    let batch: ReadFile[] = [];
    let bytes = 0;
    const flush = async () => {
      if (batch.length > 0) await this.#addOthers(running, batch);
      batch = [];
      bytes = 0;
    };
    for (const note of notes) {
      for (const named of filesNamedIn(note.content)) {
        const file = await attachmentOf(running, note, named);
        if (file === undefined) continue;
        batch.push(file);
        bytes += file.content.length;
        if (bytes >= NOTE_LIMITS.importBatchBytesMax) await flush();
      }
    }
    await flush();
  }

  async #addOthers({ viewer, progress }: Running, files: readonly ReadFile[]): Promise<void> {
    const { result } = await this.#use.writer.write(viewer, (version) => addFiles(viewer, version, files));
    progress.otherFiles += result.otherFiles;
    for (const each of result.notTaken) notTake(progress, each);
  }
}

/** @returns undefined for a file that cannot be imported, or that is a note and imported as such */
async function attachmentOf(
  { server, progress }: Running,
  { id, category }: RemoteNote,
  named: string,
): Promise<ReadFile | undefined> {
  if (isNoteName(named, [])) return undefined;
  const name = pathOf(categoryOf(category), named);
  try {
    const path = importedPath('', name);
    const content = await server.attachment(id, named);
    if (content === undefined)
      throw new NotTakenError(`note ${id} names it, but its server does not have it`);
    progress.bytes += content.length;
    return { name, path, content, modifiedAt: currentTimeMs() };
  } catch (error) {
    if (!(error instanceof NotTakenError)) throw error;
    notTake(progress, { name, why: error.message });
    return undefined;
  }
}

/** @returns undefined for a note that cannot be imported */
function arrivingFile(note: RemoteNote, progress: ImportProgress): ReadFile | undefined {
  const suffix = isNoteName(`x${note.suffix}`, []) ? note.suffix : '.md';
  const name = pathOf(categoryOf(note.category), `${titleOf(note.title, suffix)}${suffix}`);
  try {
    const content = Buffer.from(note.content);
    if (content.length > NOTE_LIMITS.noteBytesMax)
      throw new NotTakenError(`it has more than ${NOTE_LIMITS.noteBytesMax} bytes`);
    progress.bytes += content.length;
    return {
      name,
      path: importedPath('', name),
      content,
      modifiedAt: note.modified * 1000,
      mayMove: true,
    };
  } catch (error) {
    if (!(error instanceof NotTakenError)) throw error;
    notTake(progress, { name, why: error.message });
    return undefined;
  }
}

/** Records which notes here came from which notes there, and writes their favorites. */
async function record(
  tx: Tx,
  into: { readonly importId: number; readonly notebookId: number; readonly accountId: number },
  placed: readonly PlacedFile[],
  notesOf: ReadonlyMap<ReadFile, RemoteNote>,
): Promise<void> {
  const paths = placed.map(({ path }) => path);
  const rows = new Map((await listNotesAt(tx, into.notebookId, paths)).map((row) => [row.path, row]));
  const imported = placed.flatMap(({ file, path }) => {
    const [row, remote] = [rows.get(path), notesOf.get(file)];
    if (row === undefined || remote === undefined) return [];
    return [importedNote(remote, { noteId: row.id, path, contentHash: row.contentHash })];
  });
  await setImported(tx, into.importId, imported);
  const favorites = imported.filter(({ isFavorite }) => isFavorite).map(({ noteId }) => noteId);
  await addFavorites(tx, favorites, into.accountId);
}

function importedNote(
  { id, etag, title, category, isFavorite }: RemoteNote,
  here: Pick<ImportedNote, 'noteId' | 'path' | 'contentHash'>,
): ImportedNote {
  return { remoteId: id, etag, title, category, isFavorite, ...here };
}
