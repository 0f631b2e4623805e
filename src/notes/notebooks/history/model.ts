import type { Oid } from '../../../git/format/model.ts';
import type { NoteProblem } from '../model.ts';

/** What a version changes: it creates, deletes or restores the note, or changes one of its fields. */
export type VersionChange = 'created' | 'deleted' | 'restored' | 'title' | 'category' | 'content';

/** A commit that changed the file of a note. */
export interface VersionStep {
  readonly commit: Oid;
  /** path in the notebook; for a deletion, the former path */
  readonly path: string;
  /** null: the commit deletes the file */
  readonly oid: Oid | null;
  readonly changes: readonly VersionChange[];
}

/** A version of a note, as its history lists it. */
export interface NoteVersionEntry extends VersionStep {
  readonly title: string;
  readonly category: string;
  /** null: the version is a deletion */
  readonly sizeBytes: number | null;
  /** seconds */
  readonly time: number;
  readonly author: { readonly name: string; readonly email: string };
}

/** A version with its text. */
export interface NoteVersionText extends NoteVersionEntry {
  /** null: the version is a deletion, or cannot be shown */
  readonly content: string | null;
  readonly problem: NoteProblem | null;
}
