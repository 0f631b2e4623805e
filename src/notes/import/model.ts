/** A file that can be read. */
export interface ImportedFile {
  /** path in its source, with slashes */
  readonly name: string;
  readonly sizeBytes: number;
  /** ms */
  readonly modifiedAt: number;
  /** @throws NotTakenError */
  read(): Promise<Buffer>;
}

/** What a source has at one of its paths. */
export type SourceEntry =
  | { readonly kind: 'file'; readonly file: ImportedFile }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'not-taken'; readonly name: string; readonly why: string };

/** A folder or an archive with notes. */
export interface ImportSource {
  /** for the report of the progress; null: not known yet */
  readonly filesTotal: number | null;
  entries(): AsyncIterable<SourceEntry>;
  close(): Promise<void>;
}

/** Says why a file cannot be imported. The import goes on with the others. */
export class NotTakenError extends Error {}

/** What an import has done so far. */
export interface ImportProgress {
  notes: number;
  /** notes that were imported before, and have changed on their server since */
  changed: number;
  /** of the new notes, those whose text was changed here and there since the last import */
  copies: number;
  otherFiles: number;
  bytes: number;
  /** files that the notebook has already, with the same content */
  present: number;
  hidden: number;
  /** files that could not be taken; of very many, the first ones */
  readonly notTaken: { readonly name: string; readonly why: string }[];
  notTakenTotal: number;
}
