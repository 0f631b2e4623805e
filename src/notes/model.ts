import type { Oid, RepositoryId } from '../git/model.ts';
import type { Repository } from '../repositories/model.ts';

/** The version of the reference application whose behaviour this is. */
export const APP_VERSION = '4.13.0';

export interface NoteSettings {
  /** where the account's notes are, as it was chosen */
  readonly notesPath: string;
  /** of new notes, with its dot */
  readonly fileSuffix: string;
  readonly noteMode: string;
}

export const DEFAULT_SETTINGS: NoteSettings = { notesPath: 'Notes', fileSuffix: '.md', noteMode: 'rich' };

/** The settings of an account and where they have led so far. */
export interface NoteSettingsRow extends NoteSettings {
  /** null: the account never had a notebook */
  readonly repositoryId: RepositoryId | null;
  readonly folder: string;
  /** raised by every change that this account alone sees */
  readonly counter: number;
}

/** A folder of a repository whose files are read as notes. */
export interface NotebookLocation {
  readonly repositoryId: RepositoryId;
  /** '' for the root */
  readonly folder: string;
}

/** A notebook whose rows are those of `indexedCommit`. */
export interface Notebook extends NotebookLocation {
  readonly id: number;
  /** null: nothing was ever written */
  readonly indexedCommit: Oid | null;
  readonly incarnation: string;
  readonly counter: number;
}

/** A notebook as one viewer holds it. */
export interface OpenNotebook {
  readonly notebook: Notebook;
  readonly repository: Repository;
  readonly settings: NoteSettings;
  /** false: every note in it is read-only for this viewer */
  readonly isWritable: boolean;
}

export type NoteProblem = 'not-text' | 'too-large';

/** A text as it is shown: without byte-order marks. */
export type NoteText =
  | { readonly content: string; readonly contentHash: string; readonly problem: null }
  | { readonly content: null; readonly contentHash: string; readonly problem: NoteProblem };

/** What a path inside the notebook says of its note. */
export interface NotePath {
  readonly path: string;
  readonly title: string;
  readonly category: string;
}

/** A note without what its viewer adds to it. */
export type StoredNote = NotePath &
  NoteText & {
    readonly id: number;
    readonly oid: Oid;
    /** ms */
    readonly modifiedAt: number;
    /** ms; when the server noticed the last change */
    readonly lastUpdateAt: number;
  };

/** A row of the index: what is at a path, or was. */
export type IndexedNote = StoredNote & { readonly isDeleted: boolean };

/** A note as one viewer sees it. */
export type Note = StoredNote & {
  readonly isFavorite: boolean;
  readonly isReadOnly: boolean;
};

/** What a client asks to change; undefined is left as it is. */
export interface NoteEdit {
  readonly title?: string | undefined;
  readonly category?: string | undefined;
  readonly content?: string | undefined;
  /** ms */
  readonly modifiedAt?: number | undefined;
  readonly isFavorite?: boolean | undefined;
}
