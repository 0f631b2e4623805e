import type { SignedIn } from '../access/viewer.ts';
import { ForgeError, notFound } from '../core/failure.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import type { Database } from '../database/database.ts';
import { NoteChanges } from './changes.ts';
import { changeOf } from './edits.ts';
import type { Note, NoteEdit, NoteSettingsRow, OpenNotebook } from './model.ts';
import { unreadable } from './notebook-index.ts';
import type { Notebooks } from './notebooks.ts';
import { type Saving, Superseded } from './save.ts';
import { lockNotebook } from './store/notebooks.ts';
import { findNote, listNotes, type MarkedNote } from './store/notes.ts';
import { type ListState, listVersion, noteVersion } from './versions.ts';

/** How often a save is made anew on what others have written meanwhile. */
const ATTEMPTS_MAX = 20;

/** A list that the caller may hold already: its version costs no look at a note. */
export interface PendingList {
  /** 32 hex digits */
  readonly version: string;
  /**
   * @param options.contentSince ms; notes that were last changed before have an empty content
   * @throws ForgeError `busy`
   */
  read(options: { contentSince: number }): Promise<NoteList>;
}

export interface NoteList {
  /** of exactly these notes */
  readonly version: string;
  /** by last update, then id; every note there is */
  readonly notes: readonly Note[];
}

export interface Edited {
  readonly note: Note;
  /** false: the caller had seen another version, and nothing was changed */
  readonly isApplied: boolean;
}

/** Somebody's notes, each a file of a repository, each save a commit. */
export class Notes {
  readonly #database: Database;
  readonly #notebooks: Notebooks;
  readonly #changes: NoteChanges;
  /** Writers of one notebook take turns here, instead of losing races against each other. */
  readonly #turns = new KeyedLock();

  constructor(dependencies: { database: Database; notebooks: Notebooks; saving: Saving }) {
    this.#database = dependencies.database;
    this.#notebooks = dependencies.notebooks;
    this.#changes = new NoteChanges(dependencies);
  }

  /**
   * Every note of the viewer, as of one moment.
   *
   * @param query all that the answer depends on besides the notes
   * @throws ForgeError `busy` where the notebook cannot be read; `forbidden`
   */
  async list(viewer: SignedIn, query: object): Promise<PendingList> {
    const settings = await this.#notebooks.settingsOf(viewer);
    const open = await this.#notebooks.open(viewer, settings);
    const state = stateOf(viewer, settings, open);
    return {
      version: listVersion(state, query),
      read: async ({ contentSince }) =>
        open === undefined
          ? { version: listVersion(state, query), notes: [] }
          : this.#read({ viewer, open, state, query, contentSince }),
    };
  }

  async #read(list: {
    viewer: SignedIn;
    open: OpenNotebook;
    state: ListState;
    query: object;
    contentSince: number;
  }): Promise<NoteList> {
    const { viewer, open, state, query, contentSince } = list;
    const { id } = open.notebook;
    // A client asks next time for what changed after this call began. So whoever began to write before that is waited
    // for, or what they write would have a time that has been asked for already.
    await this.#database.transaction((tx) => lockNotebook(tx, id));
    const key = { notebookId: id, accountId: viewer.accountId, contentSince };
    const snapshot = await listNotes(this.#database.reader, key);
    if (snapshot === undefined) throw unreadable('its repository is gone');
    const { counter, accountCounter, notes } = snapshot;
    const now = { ...state, notebook: { ...open.notebook, counter }, accountCounter };
    return { version: listVersion(now, query), notes: notes.map((note) => seenIn(open, note)) };
  }

  /** @throws ForgeError `not_found`, `busy`, `forbidden` */
  async get(viewer: SignedIn, id: number): Promise<Note> {
    const open = await this.#open(viewer);
    return this.#find(viewer, open, id);
  }

  /** @throws ForgeError `forbidden`, `invalid`, `too_large`, `busy` */
  create(viewer: SignedIn, edit: NoteEdit): Promise<Note> {
    return this.#write(viewer, async (open) =>
      this.#find(viewer, open, await this.#changes.create(viewer, open, edit)),
    );
  }

  /**
   * @param isExpected whether the caller has seen this version, given as 32 hex digits
   * @throws ForgeError `not_found`, `forbidden`, `invalid`, `too_large`, `busy`
   */
  edit(
    viewer: SignedIn,
    id: number,
    edit: NoteEdit,
    isExpected: (version: string) => boolean,
  ): Promise<Edited> {
    return this.#write(viewer, async (open) => {
      const note = await this.#find(viewer, open, id);
      if (!isExpected(noteVersion(note))) return { note, isApplied: false };
      await this.#changes.edit(viewer, open, note, changeOf(note, edit));
      return { note: await this.#find(viewer, open, id), isApplied: true };
    });
  }

  /** @throws ForgeError `not_found`, `forbidden`, `busy` */
  remove(viewer: SignedIn, id: number): Promise<void> {
    return this.#write(viewer, async (open) => {
      const note = await this.#find(viewer, open, id);
      await this.#changes.remove(viewer, open, note);
    });
  }

  /** Only one who may make the notebook comes here without one. */
  async #open(viewer: SignedIn): Promise<OpenNotebook> {
    const open = await this.#notebooks.open(viewer, await this.#notebooks.settingsOf(viewer));
    if (open === undefined) throw notFound('note');
    return open;
  }

  async #find(viewer: SignedIn, open: OpenNotebook, id: number): Promise<Note> {
    const key = { id, notebookId: open.notebook.id, accountId: viewer.accountId };
    const note = await findNote(this.#database.reader, key);
    if (note === undefined) throw notFound('note');
    return seenIn(open, note);
  }

  /** Does `work` on the notebook as it is now, and again where others were faster. */
  async #write<T>(viewer: SignedIn, work: (open: OpenNotebook) => Promise<T>): Promise<T> {
    const { notebook } = await this.#open(viewer);
    return this.#turns.run(String(notebook.id), async () => {
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
        try {
          return await work(await this.#open(viewer));
        } catch (error) {
          if (!(error instanceof Superseded)) throw error;
        }
      }
      throw new ForgeError({
        kind: 'busy',
        what: 'the notebook keeps changing: try again',
        retryAfterSeconds: 1,
      });
    });
  }
}

function seenIn(open: OpenNotebook, note: MarkedNote): Note {
  return { ...note, isReadOnly: !open.isWritable || note.problem !== null };
}

function stateOf(viewer: SignedIn, settings: NoteSettingsRow, open: OpenNotebook | undefined): ListState {
  return {
    notebook: open?.notebook ?? null,
    accountId: viewer.accountId,
    accountCounter: settings.counter,
    settings,
    isWritable: open?.isWritable ?? false,
  };
}
