import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import type { Database } from '../../../base/database/database.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { ListedNotes } from '../listed-notes.ts';
import type { ListedNote, OpenNotebook, SeenNote } from '../model.ts';
import { notePathOf } from '../names.ts';
import { findNotesOfList } from '../store/list.ts';
import { readNoteText } from '../text/text.ts';

interface Options {
  readonly isTextWanted: boolean;
}

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
}

/** Reads the notes of a list while it is sent, so that a large notebook takes little memory at a time. */
export class ListTexts {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Yields the notes of a list, a few at a time, as they were when the list was read.
   *
   * @param options.isTextWanted whether the notes need their texts
   * @throws ForgeError `not_found` if the repository is deleted during the list
   */
  async *add(open: OpenNotebook, notes: ListedNotes, options: Options): AsyncGenerator<readonly SeenNote[]> {
    for (const some of notes.parts()) {
      yield await this.#read(open, some, options);
      await giveOthersATurn();
    }
  }

  async #read(
    open: OpenNotebook,
    notes: readonly ListedNote[],
    options: Options,
  ): Promise<readonly SeenNote[]> {
    const ids = notes.map(({ id }) => id);
    const present = await findNotesOfList(this.#use.database.reader, ids, options);
    let snapshot: Snapshot | undefined;
    const seen: SeenNote[] = [];
    for (const note of notes) {
      const { id, counter, modifiedAt, isFavorite, oid, path } = note;
      const stored = present.get(id);
      if (stored?.counter === counter) seen.push(seenIn(open, { ...stored, isFavorite }));
      else {
        // The note has changed since the list was read. Its file is still as it was.
        snapshot ??= await this.#use.git.refs.open(open.repository.id);
        const text = await readNoteText(snapshot.objects, oid);
        const then = { id, counter, oid, ...notePathOf(path), modifiedAt, isFavorite };
        seen.push(seenIn(open, { ...then, ...text }));
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
