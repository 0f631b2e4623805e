import type { Oid } from '../../git/format/model.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Repository } from '../../hosting/repositories/model.ts';

/** The version of the reference application whose behavior Quire follows. */
export const APP_VERSION = '4.13.0';

/** The version of the platform whose clients Quire supports. Some clients require a minimum. */
export const PLATFORM = { major: 31, minor: 0, micro: 0 } as const;

export interface NoteSettings {
  /** the location of the notes, as the user wrote it */
  readonly notesPath: string;
  /** the suffix of new notes, with its dot */
  readonly fileSuffix: string;
  readonly noteMode: string;
}

export const DEFAULT_SETTINGS: NoteSettings = { notesPath: 'Notes', fileSuffix: '.md', noteMode: 'rich' };

/** The repository that holds notes, unless the settings name another one. */
export const NOTES_REPOSITORY = 'Notes';

/**
 * Where notes are: in a folder of a repository that another account shares, or of one of the user's repositories. If
 * the user has no repository of this name, the whole `path` is a folder of the repository `Notes`.
 */
export type NotePlace =
  | { readonly kind: 'shared'; readonly owner: string; readonly name: string; readonly folder: string }
  | { readonly kind: 'own'; readonly name: string; readonly folder: string; readonly path: string };

/** The settings of an account, and the repository to which they lead. */
export interface NoteSettingsRow extends NoteSettings {
  /** null: the account never had a notebook */
  readonly repositoryId: RepositoryId | null;
  /** in the repository; '' for its root */
  readonly folder: string;
  /** increased by every change that only this account sees */
  readonly counter: number;
}

/** A folder of a repository whose text files are notes. */
export interface NotebookLocation {
  readonly repositoryId: RepositoryId;
  /** '' for the root */
  readonly folder: string;
}

/** A notebook whose rows describe the files of `indexedCommit`. */
export interface Notebook extends NotebookLocation {
  readonly id: number;
  /** null: nothing has been written yet */
  readonly indexedCommit: Oid | null;
  readonly incarnation: string;
  readonly counter: number;
  /** suffixes of notes in addition to the usual ones, which its users chose */
  readonly suffixes: readonly string[];
}

/** A notebook that was looked up and authorized for a viewer. */
export interface OpenNotebook {
  readonly notebook: Notebook;
  readonly repository: Repository;
  readonly settings: NoteSettings;
  /** false: every note is read-only for this viewer */
  readonly isWritable: boolean;
}

export type NoteProblem = 'not-text' | 'too-large';

/** The text of a note without byte-order marks. */
export type NoteText =
  | { readonly content: string; readonly contentHash: string; readonly problem: null }
  | { readonly content: null; readonly contentHash: string; readonly problem: NoteProblem };

/** The fields of a note that follow from its path in the notebook. */
export interface NotePath {
  readonly path: string;
  readonly title: string;
  readonly category: string;
}

/** A note without the fields that depend on the viewer. */
export type StoredNote = NotePath &
  NoteText & {
    readonly id: number;
    readonly oid: Oid;
    /** ms */
    readonly modifiedAt: number;
    /** ms; when the server indexed the last change */
    readonly lastUpdateAt: number;
    /** counter of the notebook at the last change of the note */
    readonly counter: number;
    /** the credential that wrote it over this API; null if it was written in another way */
    readonly writtenBy: string | null;
  };

/** A note in a list. Its other fields are read when it is sent. */
export type ListedNote = Pick<StoredNote, 'id' | 'counter' | 'modifiedAt' | 'oid' | 'path'> & {
  readonly isFavorite: boolean;
};

/** A row of the index: the note at a path, or a deleted one. */
export type IndexedNote = StoredNote & { readonly isDeleted: boolean };

/** A note as one viewer sees it. */
export type SeenNote = Omit<StoredNote, 'writtenBy' | 'lastUpdateAt' | keyof NoteText> &
  NoteText & {
    readonly isFavorite: boolean;
    readonly isReadOnly: boolean;
  };

export type Note = SeenNote & Pick<StoredNote, 'writtenBy' | 'lastUpdateAt'>;

/** The fields that a client asks to change; undefined: unchanged. */
export interface NoteEdit {
  readonly title?: string | undefined;
  readonly category?: string | undefined;
  readonly content?: string | undefined;
  /** ms */
  readonly modifiedAt?: number | undefined;
  readonly isFavorite?: boolean | undefined;
  /** the title is made from the text, as in version 0.2 of the API */
  readonly isTitledByText?: boolean;
}

/** A version of a note, from one counter of its notebook to the next change of the note. */
export interface NoteVersion {
  readonly counter: number;
  /** a commit that contains this version */
  readonly commit: Oid;
  readonly path: string;
  readonly oid: Oid;
  readonly title: string;
  readonly category: string;
  /** the credential that wrote it over this API; null if it was written in another way */
  readonly writtenBy: string | null;
  /** ms */
  readonly lastUpdateAt: number;
  /** account for which the next change added or removed the favorite */
  readonly toggledFavoriteOf: number | null;
}

/** A text that a credential sent. */
export interface SentVersion {
  /** counter of the notebook at the change with this text */
  readonly counter: number;
  readonly oid: Oid;
  readonly title: string;
  readonly category: string;
}

/** Identifies the password or token with which a client signs in. Each device should have its own. */
export interface Credential {
  readonly accountId: number;
  readonly name: string;
}

/** A change of settings; undefined: unchanged. */
export type SettingsChange = Partial<NoteSettings>;

/** A note that was deleted less than 90 days ago. */
export interface DeletedNote {
  readonly id: number;
  readonly path: string;
  readonly oid: Oid;
  readonly title: string;
  readonly category: string;
  /** ms */
  readonly modifiedAt: number;
  readonly deletedAt: number;
}
