import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import { LIMITS } from '../core/limits.ts';
import type { Database } from '../database/database.ts';
import type { GitStorage, Snapshot } from '../git/model.ts';
import type { ListedNote, NoteText, OpenNotebook, SeenNote } from './model.ts';
import { findTexts } from './store/list.ts';
import { readNoteText } from './text.ts';

/** Reads the texts of a list while it is sent, so that a large notebook takes little memory at a time. */
export class ListTexts {
  readonly #database: Database;
  readonly #git: GitStorage;

  constructor({ database, git }: { database: Database; git: GitStorage }) {
    this.#database = database;
    this.#git = git;
  }

  /**
   * Yields the notes of a list with their texts, a few at a time, as they were at the time of the list.
   *
   * @throws ForgeError `not_found` if the repository is deleted meanwhile
   */
  async *add(
    open: OpenNotebook,
    notes: readonly ListedNote[],
    { isTextWanted }: { isTextWanted: boolean },
  ): AsyncGenerator<readonly SeenNote[]> {
    for (const some of partsOf(notes)) {
      yield isTextWanted
        ? await this.#withTexts(open, some)
        : some.map((note) => seenIn(open, asIs(note, '')));
      await giveOthersATurn();
    }
  }

  async #withTexts(open: OpenNotebook, notes: readonly ListedNote[]): Promise<readonly SeenNote[]> {
    const texts = await findTexts(
      this.#database.reader,
      notes.filter(({ problem }) => problem === null).map(({ id }) => id),
    );
    let snapshot: Snapshot | undefined;
    const seen: SeenNote[] = [];
    for (const note of notes) {
      const found = texts.get(note.id);
      if (note.problem !== null) seen.push(seenIn(open, asIs(note, '')));
      else if (found?.counter === note.counter) seen.push(seenIn(open, asIs(note, found.content ?? '')));
      else {
        // The note has changed since the list was read. Its file still has the text.
        snapshot ??= await this.#git.open(open.repository.id);
        const text = await readNoteText(snapshot.objects, note.oid);
        seen.push(seenIn(open, { ...note, ...text }));
      }
    }
    return seen;
  }
}

/** @returns the note as this viewer sees it */
export function seenIn<T extends { readonly problem: unknown }>(
  open: OpenNotebook,
  note: T,
): T & { readonly isReadOnly: boolean } {
  return { ...note, isReadOnly: !open.isWritable || note.problem !== null };
}

function asIs(note: ListedNote, content: string): ListedNote & NoteText {
  const { contentHash, problem } = note;
  return problem === null
    ? { ...note, content, contentHash, problem }
    : { ...note, content: null, contentHash, problem };
}

function* partsOf(notes: readonly ListedNote[]): Generator<readonly ListedNote[]> {
  let part: ListedNote[] = [];
  let bytes = 0;
  for (const note of notes) {
    if (part.length === LIMITS.noteTextsReadAtOnceMax || bytes > LIMITS.noteTextBytesReadAtOnce) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(note);
    bytes += note.textBytes;
  }
  if (part.length > 0) yield part;
}
