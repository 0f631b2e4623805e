import type { Slice } from '../../base/core/paging.ts';
import type { DiffSide } from '../format/diffs/model.ts';
import type { FileState } from '../format/model.ts';
import type { ObjectSource } from './snapshot.ts';

/** Which changes of blanks count: all; none; none but those between blank and no blank; none at the ends of lines. */
export type Whitespace = 'show-all' | 'ignore-all' | 'ignore-change' | 'ignore-eol';

/** git finds copies only if it is asked to, so no comparison here has any. */
export type FileStatus = 'added' | 'modified' | 'removed' | 'renamed';

/** A file, link or submodule that differs between two commits. */
export interface FileDifference {
  readonly path: string;
  /** null: it had the same path before, or was not there */
  readonly previousPath: string | null;
  readonly status: FileStatus;
  /** lines; 0 for a binary file, and for one that is too large to count */
  readonly additions: number;
  readonly deletions: number;
  /** also for a file that is too large to count */
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
  /** files before `skipTo` */
  readonly skipped: number;
}

export interface FileComparison {
  /** Ignoring blanks also leaves out the files in which nothing else changed. */
  readonly whitespace: Whitespace;
  /** path of the first file that counts; if it does not differ, the next one in the order is the first */
  readonly skipTo?: string | undefined;
  /** of the files that count; by default, all of them */
  readonly slice?: Slice | undefined;
}

/** The path of a file before a change, or after it. */
export interface PathOnSide {
  readonly side: DiffSide;
  readonly path: string;
}

/** Where the objects of a file are, before a change and after it. */
export interface DiffSources {
  readonly from: ObjectSource;
  readonly to: ObjectSource;
}

export interface DiffOptions {
  readonly whitespace: Whitespace;
  /** unchanged lines around each change, up to `diffContextLinesMax`; git shows 3 by default */
  readonly contextLines: number;
}

/** The differences of a file. */
export type FileDiff =
  /** `hunks`: in git's unified format, as `parseHunks` takes them; '' if there are none */
  | { readonly kind: 'text'; readonly hunks: string }
  | { readonly kind: 'binary' }
  /** It takes git too long, or is longer than `fileDiffBytesMax` or `fileDiffLinesMax`. */
  | { readonly kind: 'too_large' };
