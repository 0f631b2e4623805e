/** A file as an entry of a tree has it. */
export interface PatchedState {
  readonly mode: '100644' | '100755' | '120000' | '160000';
  readonly oid: string;
}

/** What a patch does to one path. */
export interface PatchedFile {
  readonly path: string;
  /** null: no such file */
  readonly before: PatchedState | null;
  /** null: no such file any more */
  readonly after: PatchedState | null;
}
