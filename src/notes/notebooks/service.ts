import type { SignedIn } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import { SharedRuns } from '../../base/core/fairness/shared-runs.ts';
import type { Database } from '../../base/database/database.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { unreadable } from './index/notebook-index.ts';
import type { Notebooks } from './index/notebooks.ts';
import type { ListQuery } from './list.ts';
import { ListedNotes } from './listed-notes.ts';
import { ListTexts, seenIn } from './listing/list-texts.ts';
import { Served } from './listing/served.ts';
import type { Note, NoteEdit, OpenNotebook, SeenNote } from './model.ts';
import { plainStart } from './names.ts';
import { type ListSnapshot, listNotes } from './store/list.ts';
import { lockNotebook } from './store/notebooks.ts';
import { findNote } from './store/notes.ts';
import { type ListState, listState, listVersion, noteVersion } from './versions.ts';
import { addNote, editNote, removeNote, unchanged } from './writing/changes.ts';
import { changeOf } from './writing/edits.ts';
import { asExpected, Merging } from './writing/merge.ts';
import type { NotebookWriter } from './writing/save.ts';

/** A list that the caller may already have: its version is known before any note is read. */
interface PendingList {
  /** 32 hex digits */
  readonly version: string;
  /** @throws ForgeError `busy` */
  read(): Promise<NoteList>;
}

export interface NoteList extends Pick<ListSnapshot, 'full' | 'pending' | 'others'> {
  /** version of exactly these notes */
  readonly version: string;
  /** null: not created yet */
  readonly notebookId: number | null;
  readonly counter: number;
  /** Yields the notes in `full` as the viewer sees them, with their texts. Reads a few notes at a time. */
  withTexts(): AsyncGenerator<readonly SeenNote[]>;
}

/** A note, and the notebook in which it was found. */
export interface FoundNote {
  readonly open: OpenNotebook;
  readonly note: Note;
}

export interface Edited {
  readonly note: Note;
  /** false: the caller has seen another version, so nothing was changed */
  readonly isApplied: boolean;
}

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly notebooks: Notebooks;
  readonly writer: NotebookWriter;
}

/** The notes of a viewer: each note is a file of a repository, each save a commit. */
export class Notes {
  readonly #use: Dependencies;
  readonly #merging: Merging;
  readonly #served: Served;
  readonly #texts: ListTexts;
  /** Waits for the writes of a notebook that are running now. All lists that wait share one transaction. */
  readonly #runningWrites: SharedRuns<number>;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#merging = new Merging(dependencies);
    this.#served = new Served(dependencies);
    this.#texts = new ListTexts(dependencies);
    const { database } = dependencies;
    this.#runningWrites = new SharedRuns((id) => database.transaction((tx) => lockNotebook(tx, id)));
  }

  /**
   * Lists every note of the viewer, as of one moment.
   *
   * @param query everything on which the response depends, besides the notes
   * @throws ForgeError `busy` if the notebook cannot be read; `forbidden`
   */
  async list(viewer: SignedIn, query: ListQuery): Promise<PendingList> {
    const settings = await this.#use.notebooks.settingsOf(viewer);
    const open = await this.#use.notebooks.open(viewer, settings);
    const state = listState(viewer, settings, open);
    const version = listVersion(state, query);
    return {
      version,
      read: async () =>
        open === undefined
          ? { ...NO_NOTES, version, withTexts: noTexts }
          : this.#read({ viewer, open, state, query }),
    };
  }

  async #read(list: {
    viewer: SignedIn;
    open: OpenNotebook;
    state: ListState;
    query: ListQuery;
  }): Promise<NoteList> {
    const { viewer, open, state, query } = list;
    const { id } = open.notebook;
    // The client's next call asks for changes since the start of this call. A write that is already running has an
    // earlier time and would be missed, so this call waits for it.
    await this.#runningWrites.run(id);
    const key = { notebookId: id, accountId: viewer.accountId };
    const snapshot = await listNotes(this.#use.database.reader, key, query);
    if (snapshot === undefined) throw unreadable('its repository is gone');
    const { counter, accountCounter, full } = snapshot;
    const now = { ...state, notebook: { ...open.notebook, counter }, accountCounter };
    const isTextWanted = !query.exclude.includes('content');
    return {
      ...snapshot,
      version: listVersion(now, query),
      notebookId: id,
      withTexts: () => this.#texts.add(open, full, { isTextWanted }),
    };
  }

  /**
   * Records which notes a list shows with their texts. Call this before the list is sent.
   *
   * @param shown times of last updates, ms, both inclusive. A list of one category counts as a list of all notes, which
   *   only adds versions with which an edit is compared.
   */
  async shown(viewer: SignedIn, list: NoteList, shown: { since: number; until: number }): Promise<void> {
    const { notebookId, counter } = list;
    if (notebookId !== null) await this.#served.recordList(viewer, notebookId, { counter, ...shown });
  }

  /** @throws ForgeError `not_found`, `busy`, `forbidden` */
  async get(viewer: SignedIn, id: number, options: { showsContent: boolean }): Promise<Note> {
    const { open, note } = await this.find(viewer, id);
    if (options.showsContent) await this.#served.recordNote(viewer, open, note);
    return note;
  }

  /**
   * Finds a note for another use than sending it.
   *
   * @throws ForgeError `not_found`, `busy`, `forbidden`
   */
  async find(viewer: SignedIn, id: number): Promise<FoundNote> {
    const open = await this.#use.notebooks.open(viewer, await this.#use.notebooks.settingsOf(viewer));
    // Only a caller who may not create a notebook has none.
    if (open === undefined) throw notFound('note');
    return { open, note: await this.#get(viewer, open, id) };
  }

  /** @throws ForgeError `forbidden`, `invalid`, `too_large`, `busy` */
  async create(viewer: SignedIn, edit: NoteEdit): Promise<Note> {
    const { open, result } = await this.#use.writer.write(viewer, (version) =>
      addNote(viewer, version, titled(edit, '')),
    );
    return this.#get(viewer, open, result.id);
  }

  /**
   * @param isExpected whether the caller has seen this version, given as 32 hex digits; undefined if the caller expects
   *   no version; the edit is then merged with edits of other clients
   * @throws ForgeError `not_found`, `forbidden`, `invalid`, `too_large`, `busy`
   */
  async edit(
    viewer: SignedIn,
    id: number,
    edit: NoteEdit,
    isExpected: ((version: string) => boolean) | undefined,
  ): Promise<Edited> {
    const { open, result } = await this.#use.writer.write<'missing' | 'applied' | Note>(
      viewer,
      async (version) => {
        const note = await this.#find(viewer, version.open, id);
        if (note === undefined) return unchanged('missing');
        if (isExpected?.(noteVersion(note)) === false) return unchanged(note);
        const asked = titled(edit, note.content ?? '');
        const { edit: merged, sent } =
          isExpected === undefined
            ? await this.#merging.reconcile(viewer, version, note, asked)
            : asExpected(note, asked);
        return editNote(viewer, version, { note, change: changeOf(note, merged), sent, result: 'applied' });
      },
    );
    if (result === 'missing') throw notFound('note');
    if (result !== 'applied') {
      await this.#served.recordNote(viewer, open, result);
      return { note: result, isApplied: false };
    }
    const applied = await this.#get(viewer, open, id);
    // The edit did not change the note that the client now receives.
    if (applied.counter <= open.notebook.counter) await this.#served.recordNote(viewer, open, applied);
    return { note: applied, isApplied: true };
  }

  /** @throws ForgeError `not_found`, `forbidden`, `busy` */
  async remove(viewer: SignedIn, id: number): Promise<void> {
    const { result } = await this.#use.writer.write(viewer, async (version) => {
      const note = await this.#find(viewer, version.open, id);
      return note === undefined ? unchanged('missing') : removeNote(version, note, 'removed');
    });
    if (result === 'missing') throw notFound('note');
  }

  async #get(viewer: SignedIn, open: OpenNotebook, id: number): Promise<Note> {
    const note = await this.#find(viewer, open, id);
    if (note === undefined) throw notFound('note');
    return note;
  }

  async #find(viewer: SignedIn, open: OpenNotebook, id: number): Promise<Note | undefined> {
    const key = { id, notebookId: open.notebook.id, accountId: viewer.accountId };
    const note = await findNote(this.#use.database.reader, key);
    return note === undefined ? undefined : seenIn(open, note);
  }
}

/** @param stored text of the note so far */
function titled(edit: NoteEdit, stored: string): NoteEdit {
  return edit.isTitledByText === true ? { ...edit, title: plainStart(edit.content ?? stored) } : edit;
}

const NO_NOTES = {
  notebookId: null,
  counter: 0,
  full: new ListedNotes([]),
  pending: 0,
  others: [],
} as const;

async function* noTexts(): AsyncGenerator<never> {}
