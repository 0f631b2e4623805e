import type { Generated } from 'kysely';

/** Written by `notes/`. What an account has chosen for its notes, and where they are. */
export interface NoteSettingsTable {
  account_id: number;
  notes_path: Generated<string>;
  file_suffix: Generated<string>;
  note_mode: Generated<string>;
  /** null: the account never had a notebook. A repository that is gone stays named here. */
  repository_id: number | null;
  /** inside the repository; '' for its root */
  folder: Generated<string>;
  /** raised by every change that this account alone sees */
  counter: Generated<number>;
  created_at: number;
}

/** Written by `notes/`. A folder of a repository whose files are read as notes. */
export interface NotebooksTable {
  id: Generated<number>;
  repository_id: number;
  folder: string;
  /** the commit that the rows of its notes were made from; null where there is none yet */
  indexed_commit: string | null;
  /** random: tells this notebook from any other that was ever in its place */
  incarnation: string;
  /** raised by every change of its notes */
  counter: Generated<number>;
}

/** Written by `notes/`. What git has no place for, and a derived copy of what it holds. */
export interface NotesTable {
  id: Generated<number>;
  notebook_id: number;
  /** inside the notebook's folder */
  path: string;
  oid: string;
  title: string;
  category: string;
  /** null for a file that cannot be shown, as `problem` says */
  content: string | null;
  content_hash: string;
  problem: 'not-text' | 'too-large' | null;
  modified_at: number;
  /** when the server noticed the last change */
  last_update_at: number;
  /** null: it is there. The id of a file that went is kept for its return. */
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
