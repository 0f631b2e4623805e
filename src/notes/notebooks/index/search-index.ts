import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import { ForgeError } from '../../../base/core/failure.ts';
import { KeyedLock } from '../../../base/core/fairness/keyed-lock.ts';
import type { Database } from '../../../base/database/database.ts';
import { TEXT_SEARCH_LIMITS } from '../../../base/text-search/limits.ts';
import { wordsOfTexts } from '../../../base/text-search/words.ts';
import { NOTE_LIMITS } from '../limits.ts';
import {
  type ChangedText,
  findSearchState,
  listChangedTexts,
  moveSearchState,
  type SearchState,
  setWords,
  type WordsOfNote,
} from '../store/search.ts';

/**
 * Maintains the index of the words of notes. A save does not write words. Because every change of a note raises the
 * counter of its notebook, a search can find the notes that have changed since the last search, and updates their words
 * first.
 */
export class NoteSearchIndex {
  readonly #database: Database;
  readonly #passes = new KeyedLock();
  readonly #preparedMs: number;

  /** @param dependencies.preparedMs approximate time for which a client waits */
  constructor(dependencies: { database: Database; preparedMs?: number }) {
    this.#database = dependencies.database;
    this.#preparedMs = dependencies.preparedMs ?? NOTE_LIMITS.noteSearchPreparedMs;
  }

  /**
   * Updates the words of a notebook to a counter that it has reached.
   *
   * @throws ForgeError `busy` if there are too many for one call; the next call continues
   */
  async catchUp(reached: { readonly id: number; readonly counter: number }): Promise<void> {
    if (!(await this.#goOn(reached))) throw unprepared();
  }

  /** As `catchUp`, without a limit of time. Use it where no client waits. */
  async catchUpFully(
    reached: { readonly id: number; readonly counter: number },
    signal?: AbortSignal,
  ): Promise<void> {
    while (!(await this.#goOn(reached))) signal?.throwIfAborted();
  }

  /** Updates words for the time for which a client waits. @returns whether all words up to the counter are current */
  async #goOn({ id, counter }: { readonly id: number; readonly counter: number }): Promise<boolean> {
    const state = await findSearchState(this.#database.reader, id);
    if (!isBehind(state, counter)) return true;
    return this.#passes.run(String(id), async () => {
      const end = performance.now() + this.#preparedMs;
      while (!(await this.#pass(id, counter))) {
        if (performance.now() > end) return false;
        // The embedded database answers without waiting, so no other work would run between two passes.
        await giveOthersATurn();
      }
      return true;
    });
  }

  /** @returns whether the words are current */
  async #pass(notebookId: number, counter: number): Promise<boolean> {
    const { reader } = this.#database;
    const from = await findSearchState(reader, notebookId);
    if (!isBehind(from, counter)) return true;
    const limit = NOTE_LIMITS.notesMadeSearchableAtOnce;
    const changed = await listChangedTexts(
      reader,
      { notebookId, since: from },
      { limit, charsMax: TEXT_SEARCH_LIMITS.indexedTextCharsMax },
    );
    // The repository was deleted.
    if (changed === undefined) return true;
    const { notes } = changed;
    const last = notes.length < limit ? undefined : notes.at(-1);
    // All notes of one counter are committed together, so no note with this counter is added later.
    const to =
      last === undefined
        ? { counter: changed.counter, noteId: Number.MAX_SAFE_INTEGER }
        : { counter: last.counter, noteId: last.id };
    const words = await splitAll(notes);
    // If another process was faster, the next pass continues from the state of that process.
    await this.#database.transaction(async (tx) => {
      if (!(await moveSearchState(tx, notebookId, { from, to }))) return;
      await setWords(tx, notebookId, words);
    });
    return false;
  }
}

function unprepared(): ForgeError {
  const what = 'these notes are being prepared for the search: try again';
  return new ForgeError({ kind: 'busy', what, retryAfterSeconds: 1 });
}

/** Even if the counters are equal, some notes of that counter may not be searchable yet. */
function isBehind(state: SearchState, counter: number): boolean {
  return state.counter < counter || (state.counter === counter && state.noteId !== Number.MAX_SAFE_INTEGER);
}

async function splitAll(notes: readonly ChangedText[]): Promise<readonly WordsOfNote[]> {
  const split: WordsOfNote[] = [];
  let chars = 0;
  for (const { id, title, category, content } of notes) {
    split.push({ noteId: id, words: wordsOfTexts({ title, category, content }) });
    chars += content.length;
    if (chars < NOTE_LIMITS.noteCharsSplitInOneGo) continue;
    chars = 0;
    await giveOthersATurn();
  }
  return split;
}
