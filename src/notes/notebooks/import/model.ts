/** A file that can be read. */
export interface SourceFile {
  /** path in its source, with slashes */
  readonly name: string;
  readonly sizeBytes: number;
  /** ms */
  readonly modifiedAt: number;
  /** Reads the file piece by piece. @throws NotTakenError, also at the end; then all pieces are invalid */
  pieces(): AsyncIterable<Buffer>;
}

/** What a source has at one of its paths. */
export type SourceEntry =
  | { readonly kind: 'file'; readonly file: SourceFile }
  | { readonly kind: 'hidden'; readonly name: string }
  | { readonly kind: 'not-taken'; readonly name: string; readonly why: string };

/** A folder, an archive or a file with notes. */
export interface ImportSource {
  entries(): AsyncIterable<SourceEntry>;
  close(): Promise<void>;
}

/** A file to add to the notebook: a note, or a file beside notes. */
export interface ImportedFile {
  /** for the report */
  readonly name: string;
  /** path below the category of the import */
  readonly path: string;
  readonly sizeBytes: number;
  /** ms */
  readonly modifiedAt: number;
  readonly isFavorite?: boolean;
  /** If another file has its path, it gets a free one. */
  readonly mayMove?: boolean;
  /** @throws NotTakenError */
  read(): Promise<Buffer>;
}

/** Says why a file cannot be imported. The import continues with the other files. */
export class NotTakenError extends Error {}

/** The name of a file, and a remark about it for the report. */
export interface Remark {
  readonly name: string;
  readonly why: string;
}

/** The progress of an import. */
export interface ImportProgress {
  /** files in the source; null if unknown, as for an export, which may have many notes in one file */
  filesTotal: number | null;
  /** apps whose exports were recognized */
  readonly apps: Set<string>;
  notes: number;
  /** notes that were imported before, and have changed on their server since */
  changed: number;
  /** new notes that are copies, because the text was changed both here and there since the last import */
  copies: number;
  otherFiles: number;
  bytes: number;
  /** files that the notebook has already, with the same content */
  present: number;
  /** how many entries are left out on purpose, by the reason */
  readonly leftOut: Map<string, number>;
  /** notes whose time of creation was lost, because a notebook does not store it */
  creationTimes: number;
  /** notes of which a part could not be imported; if there are very many, only the first ones */
  readonly incomplete: Remark[];
  incompleteTotal: number;
  /** files that could not be imported; if there are very many, only the first ones */
  readonly notTaken: Remark[];
  notTakenTotal: number;
}
