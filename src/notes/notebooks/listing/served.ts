import type { SignedIn } from '../../../api/access/viewer.ts';
import type { Database } from '../../../base/database/database.ts';
import { credentialOf } from '../credentials.ts';
import type { Note, OpenNotebook } from '../model.ts';
import { hasServing, insertServing, type Serving } from '../store/versions.ts';

/** Records which versions of notes each credential received, because an edit may have been made from any of them. */
export class Served {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /** Call this before a list is sent. */
  recordList(viewer: SignedIn, notebookId: number, serving: Serving): Promise<void> {
    return this.#record(viewer, { notebookId, noteId: null }, serving);
  }

  /** Call this before a note is sent with its text. */
  recordNote(viewer: SignedIn, { notebook }: OpenNotebook, { id, counter }: Note): Promise<void> {
    const serving = { counter, since: 0, until: Number.MAX_SAFE_INTEGER };
    return this.#record(viewer, { notebookId: notebook.id, noteId: id }, serving);
  }

  async #record(
    viewer: SignedIn,
    about: { notebookId: number; noteId: number | null },
    serving: Serving,
  ): Promise<void> {
    const key = { ...about, credential: credentialOf(viewer) };
    if (await hasServing(this.#database.reader, key, serving)) return;
    await this.#database.transaction((tx) => insertServing(tx, key, serving));
  }
}
