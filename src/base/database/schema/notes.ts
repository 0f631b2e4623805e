import type { Generated } from 'kysely';

/** Written by `notebooks/`. The notes settings of an account and the location of its notebook. */
export interface NoteSettingsTable {
  account_id: number;
  notes_path: Generated<string>;
  file_suffix: Generated<string>;
  note_mode: Generated<string>;
  /** null: the account never had a notebook. The id of a deleted repository stays. */
  repository_id: number | null;
  /** inside the repository; '' for its root */
  folder: Generated<string>;
  /** raised by every change that only this account sees */
  counter: Generated<number>;
  created_at: number;
}

/** Written by `notebooks/`. Folders of repositories whose files are notes. */
export interface NotebooksTable {
  id: Generated<number>;
  repository_id: number;
  folder: string;
  /** the commit that the rows of its notes reflect; null before the first index */
  indexed_commit: string | null;
  /** random: distinguishes this notebook from earlier ones at the same location */
  incarnation: string;
  /** raised by every change of its notes */
  counter: Generated<number>;
  /** of files that are notes, besides the usual ones, with spaces between */
  suffixes: Generated<string>;
}

/** Written by `notebooks/`. Values that git cannot hold, and a derived copy of values from git. */
export interface NotesTable {
  id: Generated<number>;
  notebook_id: number;
  /** inside the notebook's folder */
  path: string;
  oid: string;
  title: string;
  category: string;
  /** null for a file that cannot be shown; `problem` has the reason */
  content: string | null;
  content_hash: string;
  problem: 'not-text' | 'too-large' | null;
  modified_at: number;
  /** when the server noticed the last change */
  last_update_at: number;
  /** null: not deleted. The id of a deleted file stays for its return. */
  deleted_at: number | null;
  /** counter of the notebook since which the note is as it is */
  counter: Generated<number>;
  /** the credential that wrote it over this API; null for any other way */
  written_by: Generated<string | null>;
}

/** Written by `notebooks/`. What a note was before a change. */
export interface NoteVersionsTable {
  note_id: number;
  /** as in `notes`: from this counter on, the note was like this */
  counter: number;
  /** a commit that has this version */
  commit_oid: string;
  path: string;
  oid: string;
  title: string;
  category: string;
  written_by: string | null;
  last_update_at: number;
  /** account whose favorite the next change added or removed */
  toggled_favorite_of: number | null;
  replaced_at: number;
}

/** Written by `notebooks/`. Which versions of notes a credential received. */
export interface NoteServingsTable {
  account_id: number;
  credential: string;
  notebook_id: number;
  /** 0: a list */
  note_id: number;
  /** counter of the notebook */
  counter: number;
  /** of a list: it had the texts of notes that were last updated in this time, both inclusive */
  since: number;
  until: number;
  served_at: number;
}

/** Written by `notebooks/`. The last text of a note that a credential sent. */
export interface NoteSentTable {
  account_id: number;
  credential: string;
  note_id: number;
  /** counter of the notebook at which the note had it */
  counter: number;
  oid: string;
  title: string;
  category: string;
}

/** Written by `notebooks/`. */
export interface NoteFavoritesTable {
  note_id: number;
  account_id: number;
}

/** Written by `notebooks/`. How far an account has imported the notes of another server. */
export interface NoteImportsTable {
  id: Generated<number>;
  account_id: number;
  /** address of the server, and the name there */
  source: string;
  /** seconds, of the server; notes that changed before were imported completely */
  complete_since: number;
  /** where the next chunk begins; '' after the last one */
  cursor: string;
}

/** Written by `notebooks/`. A note that was imported from another server, as it was then. */
export interface ImportedNotesTable {
  import_id: number;
  /** id there */
  remote_id: number;
  /** here; the note may be gone */
  note_id: number;
  /** there */
  etag: string;
  path: string;
  content_hash: string;
  title_there: string;
  category_there: string;
  was_favorite: number;
}

/** Written by `notebooks/`. The words of which notes are current: those of all changes before this one. */
export interface NoteSearchStatesTable {
  notebook_id: number;
  /** counter of the notebook, and the last note with it */
  counter: number;
  note_id: number;
}

/** Written by `notebooks/`. Words of notes; on SQLite an index that is no ordinary table, with ids of notes as its row ids. */
export interface NoteWordsTable {
  note_id: number;
}

export interface NoteTables {
  note_settings: NoteSettingsTable;
  notebooks: NotebooksTable;
  notes: NotesTable;
  note_favorites: NoteFavoritesTable;
  note_imports: NoteImportsTable;
  imported_notes: ImportedNotesTable;
  note_versions: NoteVersionsTable;
  note_servings: NoteServingsTable;
  note_sent: NoteSentTable;
  note_search_states: NoteSearchStatesTable;
  note_words: NoteWordsTable;
}
