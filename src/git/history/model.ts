import type { Oid } from '../format/model.ts';

/** Number of commits that only the base reaches (`behind`) and that only the head reaches (`ahead`). */
export interface Apart {
  readonly behind: number;
  readonly ahead: number;
}

export interface ChangedFile {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'removed';
}

/** The differences between a commit and its first parent. */
export interface CommitChanges {
  readonly files: readonly ChangedFile[];
  /** lines in text files; 0 if they were not counted */
  readonly additions: number;
  readonly deletions: number;
}

/** Three versions of a text. */
export interface TextMerge {
  /** the version from which both others were made */
  readonly base: Uint8Array;
  readonly current: Uint8Array;
  readonly other: Uint8Array;
}

/** The file at a path before and after a commit; null: there is none. */
export interface BlobChange {
  readonly before: Oid | null;
  readonly after: Oid | null;
}
