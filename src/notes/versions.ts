import type { Note, Notebook, NoteSettings } from './model.ts';
import { shortHash } from './text.ts';

/** Raised when the same notes are written down in another way. */
const FORMAT = 1;

/** Seconds since 1970, as the interface has times. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** 32 hex digits that change when, and only when, what they are made of does. */
export function noteVersion(note: Note): string {
  const { id, title, modifiedAt, category, isFavorite, isReadOnly, contentHash } = note;
  return shortHash(
    JSON.stringify([id, title, seconds(modifiedAt), category, isFavorite, isReadOnly, contentHash]),
  );
}

/** What a list is answered from, without its notes. */
export interface ListState {
  /** null: there is none yet */
  readonly notebook: Pick<Notebook, 'id' | 'incarnation' | 'counter'> | null;
  readonly accountId: number;
  readonly accountCounter: number;
  readonly settings: NoteSettings;
  readonly isWritable: boolean;
}

/** 32 hex digits that stand for the answer to `query`, made without looking at a single note. */
export function listVersion(state: ListState, query: object): string {
  const { notebook, accountId, accountCounter, settings, isWritable } = state;
  const notebookState = notebook && [notebook.id, notebook.incarnation, notebook.counter];
  return shortHash(
    JSON.stringify([FORMAT, notebookState, accountId, accountCounter, settings.notesPath, isWritable, query]),
  );
}
