import type { OpenRepository } from '../../../code/git-data/commit-reader.ts';
import type { ComparedFiles, Whitespace } from '../../../git/interface/file-diffs.ts';
import type { CommitOf } from '../../../git/interface/snapshot.ts';

/** The commits between which the differences of a pull request are. Both are in the repository of the base. */
export interface PullRange {
  /** the last common commit; if there is none, the tip of the base */
  readonly from: CommitOf;
  readonly head: CommitOf;
}

/** A pull request whose differences the viewer may read. */
export interface OpenPull extends OpenRepository, PullRange {}

/** Which changed files a list has. */
export interface FileFilter {
  readonly whitespace: Whitespace;
  /** path of the first file, as in `FileComparison` */
  readonly skipTo: string | undefined;
}

/** A page of the changed files of a pull request. */
export interface ChangedFiles {
  readonly pull: OpenPull;
  readonly files: ComparedFiles['files'];
}
