import type { SignedIn } from '../../api/access/viewer.ts';
import type { Notebook, NoteSettings, NoteSettingsRow, OpenNotebook, SeenNote } from './model.ts';
import { shortHash } from './text/text.ts';

/** Increased when the representation of the same notes changes. */
const FORMAT = 1;

/** Converts milliseconds to seconds since 1970, the form of times in the API. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Returns 32 hex digits that change exactly when the note changes. */
export function noteVersion(note: SeenNote): string {
  const { id, title, modifiedAt, category, isFavorite, isReadOnly, contentHash } = note;
  return shortHash(
    JSON.stringify([id, title, seconds(modifiedAt), category, isFavorite, isReadOnly, contentHash]),
  );
}

/** Everything that a list depends on, except its notes. */
export interface ListState {
  /** null: not created yet */
  readonly notebook: Pick<Notebook, 'id' | 'incarnation' | 'counter'> | null;
  readonly accountId: number;
  readonly accountCounter: number;
  readonly settings: NoteSettings;
  readonly isWritable: boolean;
}

/** @param open undefined: not created yet */
export function listState(
  { accountId }: SignedIn,
  settings: NoteSettingsRow,
  open: OpenNotebook | undefined,
): ListState {
  return {
    notebook: open?.notebook ?? null,
    accountId,
    accountCounter: settings.counter,
    settings,
    isWritable: open?.isWritable ?? false,
  };
}

/** Returns 32 hex digits for the response to `query`, without reading a note. */
export function listVersion(state: ListState, query: object): string {
  const { notebook, accountId, accountCounter, settings, isWritable } = state;
  const notebookState = notebook && [notebook.id, notebook.incarnation, notebook.counter];
  return shortHash(
    JSON.stringify([FORMAT, notebookState, accountId, accountCounter, settings.notesPath, isWritable, query]),
  );
}
