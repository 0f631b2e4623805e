import type { SignedIn } from '../../api/access/viewer.ts';
import { notePathOf } from '../../notes/notebooks/names.ts';
import type { NoteSearch } from '../../notes/notebooks/search/service.ts';
import type { SnippetPart } from '../../notes/notebooks/search/snippet.ts';
import { snippetOf } from '../../notes/notebooks/search/snippet.ts';
import type { Notes } from '../../notes/notebooks/service.ts';
import { WEB_LIMITS } from '../limits.ts';

/** A note in the list of the page. */
export interface ShownNote {
  readonly id: number;
  readonly title: string;
  readonly category: string;
  /** ms */
  readonly modifiedAt: number;
  readonly isFavorite: boolean;
  /** the words around what was searched for; empty without a search */
  readonly snippet: readonly SnippetPart[];
}

/** A page of the list, and all categories with their numbers of notes. */
export interface ShownList {
  readonly notes: readonly ShownNote[];
  readonly hasNext: boolean;
  readonly total: number;
  readonly categories: ReadonlyMap<string, number>;
}

/** What the list shows. */
export interface ListChoice {
  /** undefined: notes of all categories */
  readonly category: string | undefined;
  /** '': no search */
  readonly words: string;
  readonly page: number;
}

const ALL = { category: undefined, exclude: ['content'], pruneBefore: 0, chunkSize: 0, cursor: undefined };

/** Lists notes: favorites first, then the newest first; the best matches first in a search. */
export async function shownList(
  viewer: SignedIn,
  choice: ListChoice,
  { notes, noteSearch }: { readonly notes: Notes; readonly noteSearch: NoteSearch },
): Promise<ShownList> {
  const all = await allNotes(viewer, notes);
  const categories = new Map<string, number>();
  for (const { category } of all) categories.set(category, (categories.get(category) ?? 0) + 1);
  const sorted = new Map([...categories].sort(([one], [other]) => (one < other ? -1 : 1)));
  const limit = WEB_LIMITS.notesPageItemsMax;
  const offset = (choice.page - 1) * limit;
  if (choice.words.trim() !== '') {
    const search = await noteSearch.search(viewer, choice.words, { page: choice.page, limit });
    const { items, total } = await search.read();
    const found = items.map((note) => ({ ...note, snippet: snippetOf(note.content ?? '', search.terms) }));
    return { notes: found, total, hasNext: offset + items.length < total, categories: sorted };
  }
  const chosen = all.filter(({ category }) => choice.category === undefined || category === choice.category);
  const ordered = chosen.sort(
    (one, other) => Number(other.isFavorite) - Number(one.isFavorite) || other.modifiedAt - one.modifiedAt,
  );
  const shown = ordered.slice(offset, offset + limit);
  return {
    notes: shown,
    total: ordered.length,
    hasNext: offset + shown.length < ordered.length,
    categories: sorted,
  };
}

/** Reads the names of all notes, without their texts. */
async function allNotes(viewer: SignedIn, notes: Notes): Promise<ShownNote[]> {
  const { full } = await (await notes.list(viewer, ALL)).read();
  const all: ShownNote[] = [];
  for (const part of full.parts())
    for (const { id, path, modifiedAt, isFavorite } of part) {
      const { title, category } = notePathOf(path);
      all.push({ id, title, category, modifiedAt, isFavorite, snippet: [] });
    }
  return all;
}
