import type { SignedIn } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Database } from '../../../base/database/database.ts';
import { TEXT_SEARCH_LIMITS } from '../../../base/text-search/limits.ts';
import { type BeginningRule, type Term, termsOf } from '../../../base/text-search/query.ts';
import type { Notebooks } from '../index/notebooks.ts';
import type { NoteSearchIndex } from '../index/search-index.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { seenIn } from '../listing/list-texts.ts';
import type { Note } from '../model.ts';
import { searchNotes } from '../store/search.ts';
import { listState, listVersion } from '../versions.ts';

/** The result of a search. The caller may already have this version. */
interface PendingSearch {
  /** 32 hex digits */
  readonly version: string;
  readonly terms: readonly Term[];
  /** the best first */
  read(): Promise<Page<Note>>;
}

const BEGINNINGS: BeginningRule = {
  charsMin: NOTE_LIMITS.searchedNoteBeginningCharsMin,
  countMax: TEXT_SEARCH_LIMITS.wordQueryWordsMax,
};

interface Dependencies {
  readonly database: Database;
  readonly notebooks: Notebooks;
  readonly searchIndex: NoteSearchIndex;
}

/** Finds notes by their words. */
export class NoteSearch {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Searches the notebook of the viewer.
   *
   * @throws ForgeError `invalid` for a query that is too long; `busy`, `forbidden`
   */
  async search(viewer: SignedIn, query: string, paging: Paging): Promise<PendingSearch> {
    const terms = termsOf(query, BEGINNINGS);
    const settings = await this.#use.notebooks.settingsOf(viewer);
    const open = await this.#use.notebooks.open(viewer, settings);
    return {
      version: listVersion(listState(viewer, settings, open), { terms, paging }),
      terms,
      read: async () => {
        if (open === undefined || terms.length === 0) return { items: [], total: 0 };
        await this.#use.searchIndex.catchUp(open.notebook);
        const key = { notebookId: open.notebook.id, accountId: viewer.accountId, terms };
        const { items, total } = await searchNotes(this.#use.database.reader, key, paging);
        return { items: items.map((note) => seenIn(open, note)), total };
      },
    };
  }
}
