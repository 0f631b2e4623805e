import type { Slice } from '../../base/core/paging.ts';
import type { FileState } from '../format/model.ts';

/** Which changes of blanks count: all; none; none but those between blank and no blank; none at the ends of lines. */
export type Whitespace = 'show-all' | 'ignore-all' | 'ignore-change' | 'ignore-eol';

/** git finds copies only if it is asked to, so no comparison here has any. */
export type FileStatus = 'added' | 'modified' | 'removed' | 'renamed' | 'copied';

/** A file, link or submodule that differs between two commits. */
export interface FileDifference {
  readonly path: string;
  /** null: it had the same path before, or was not there */
  readonly previousPath: string | null;
  readonly status: FileStatus;
  /** lines; 0 for a binary file */
  readonly additions: number;
  readonly deletions: number;
  readonly isBinary: boolean;
  /** null for an added file */
  readonly before: FileState | null;
  /** null for a removed file */
  readonly after: FileState | null;
}

export interface DifferenceCounts {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}

export interface ComparedFiles {
  /** in the order of git: that of the bytes of their paths */
  readonly files: readonly FileDifference[];
  /** of all files that differ, not only those of the slice */
  readonly total: DifferenceCounts;
}

export interface FileComparison {
  /** Ignoring blanks also leaves out the files in which nothing else changed. */
  readonly whitespace: Whitespace;
  /** by default, all files */
  readonly slice?: Slice | undefined;
}
