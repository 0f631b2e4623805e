import type { Generated } from 'kysely';

/** Written by `notes/`. The notes settings of an account and the location of its notebook. */
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

/** Written by `notes/`. Folders of repositories whose files are notes. */
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
}

/** Written by `notes/`. Values that git cannot hold, and a derived copy of values from git. */
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
}

/** Written by `notes/`. */
export interface NoteFavoritesTable {
  note_id: number;
  account_id: number;
}

export interface NoteTables {
  note_settings: NoteSettingsTable;
  notebooks: NotebooksTable;
  notes: NotesTable;
  note_favorites: NoteFavoritesTable;
}
