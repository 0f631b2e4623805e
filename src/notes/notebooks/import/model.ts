/** A file that can be read. */
export interface SourceFile {
  /** path in its source, with slashes */
  readonly name: string;
  readonly sizeBytes: number;
  /** ms */
  readonly modifiedAt: number;
  /** Reads the file piece by piece. @throws NotTakenError, also at the end: then no piece counts */
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

/** What becomes a file of the notebook: a note, or a file beside notes. */
export interface ImportedFile {
  /** for the report */
  readonly name: string;
  /** below the category of the import */
  readonly path: string;
  readonly sizeBytes: number;
  /** ms */
  readonly modifiedAt: number;
  readonly isFavorite?: boolean;
  /** @throws NotTakenError */
  read(): Promise<Buffer>;
}

/** Says why a file cannot be imported. The import goes on with the others. */
export class NotTakenError extends Error {}

/** A file by its name, and what is to be said about it. */
export interface Remark {
  readonly name: string;
  readonly why: string;
}

/** What an import has done so far. */
export interface ImportProgress {
  /** files that the source has; null: not known */
  filesTotal: number | null;
  /** apps whose exports were recognized */
  readonly apps: Set<string>;
  notes: number;
  /** notes that were imported before, and have changed on their server since */
  changed: number;
  /** of the new notes, those whose text was changed here and there since the last import */
  copies: number;
  otherFiles: number;
  bytes: number;
  /** files that the notebook has already, with the same content */
  present: number;
  /** how many entries are left out on purpose, by the reason */
  readonly leftOut: Map<string, number>;
  /** notes whose time of creation a notebook does not keep */
  creationTimes: number;
  /** notes of which a part could not be taken; of very many, the first ones */
  readonly incomplete: Remark[];
  incompleteTotal: number;
  /** files that could not be taken; of very many, the first ones */
  readonly notTaken: Remark[];
  notTakenTotal: number;
}
