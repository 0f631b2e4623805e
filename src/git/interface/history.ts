import type { Slice } from '../../base/core/paging.ts';
import type { CommitTimes } from '../format/commit-times.ts';
import type { Commit, Oid } from '../format/model.ts';
import type { BlamedLines, FoundLines } from './blame.ts';
import type {
  ComparedFiles,
  DiffOptions,
  DiffSources,
  FileComparison,
  FileDiff,
  FileDifference,
  PathOnSide,
} from './file-diffs.ts';
import type { CommitOf, ObjectSource, Snapshot } from './snapshot.ts';

/** The commit that last changed an entry of a folder. */
export interface LastCommit {
  readonly oid: Oid;
  /** committer's date, seconds */
  readonly seconds: number;
}

/** What the change index knows about entries of a folder at one commit. */
export interface IndexedLastCommits {
  readonly found: ReadonlyMap<string, LastCommit>;
  /** commit whose changes are not indexed → entries that are still unresolved there */
  readonly goesOn: ReadonlyMap<Oid, readonly string[]>;
}

/** Commits that `head` reaches and `without` do not; with a path, only those that changed it. */
export interface CommitRange {
  readonly head: CommitOf;
  readonly without: readonly CommitOf[];
  /** path of a file or folder; null: all commits */
  readonly path: string | null;
  /** Leaves out commits of other times. The clocks of committers differ, so older commits can reach newer ones. */
  readonly times?: CommitTimes | undefined;
}

/** What a text shows: the differences of two trees; a commit as an e-mail; or all commits of a range as e-mails. */
export type DiffText =
  | {
      readonly kind: 'diff';
      readonly from: CommitOf | null;
      readonly to: CommitOf;
      /** whether the text has binary files, so that git can apply it; by default, it only names them */
      readonly binary?: boolean | undefined;
    }
  | { readonly kind: 'patch'; readonly of: CommitOf }
  | { readonly kind: 'patches'; readonly from: CommitOf; readonly to: CommitOf };

/** Number of commits that only the base reaches (`behind`) and that only the head reaches (`ahead`). */
export interface AheadBehind {
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
  /** lines in text files, without those of large files if there is too much to count; 0 if they were not counted */
  readonly additions: number;
  readonly deletions: number;
}

/** The file at a path before and after a commit; null: there is none. */
export interface BlobChange {
  readonly before: Oid | null;
  readonly after: Oid | null;
}

export interface GainedCommits {
  /** the newest first, a bounded number */
  readonly oids: readonly Oid[];
  /** number of all */
  readonly total: number;
}

/** Answers questions about commits of repositories. No method changes anything. */
export interface History {
  /**
   * Compares two commits of one repository or of two, such as a fork and its parent.
   *
   * @throws ForgeError `not_found` (no such commit), `invalid` (another object format), `busy`
   */
  countBetween(base: CommitOf, head: CommitOf): Promise<AheadBehind>;
  /**
   * Compares several commits with one commit of the same repository, in a bounded time and without starting git.
   *
   * @returns counts by the id of the commit; those that would take too long are missing
   * @throws ForgeError `busy`
   */
  countsAgainst(base: CommitOf, heads: readonly Oid[]): Promise<ReadonlyMap<Oid, AheadBehind>>;
  /**
   * Compares several commits of one repository with their first parents.
   *
   * @returns changes by the id of the commit
   * @throws ForgeError `not_found`, `busy`; `invalid` if there are too many changes to list
   */
  changesOf(
    snapshot: Snapshot,
    commits: readonly Commit[],
    options: { countsLines: boolean },
  ): Promise<ReadonlyMap<Oid, CommitChanges>>;
  /**
   * Compares two commits file by file.
   *
   * @throws ForgeError as `changesOf` and `countBetween`
   */
  filesBetween(from: CommitOf, to: CommitOf): Promise<readonly ChangedFile[]>;
  /**
   * Compares two commits file by file, finds renamed files, and counts lines. `from` null stands for no files. If there is too much to count, it does not
   * count the lines of large files, and otherwise of no file, and finds no renamed ones.
   *
   * @throws ForgeError `not_found`, `busy`; `invalid` (another object format, or too much to compare)
   */
  compareFiles(from: CommitOf | null, to: CommitOf, options: FileComparison): Promise<ComparedFiles>;
  /**
   * Finds the file with a path on one side among the files that `compareFiles` finds. Throws the same errors.
   *
   * @returns undefined if there is no such file, or if it does not differ
   */
  findChangedFile(
    from: CommitOf | null,
    to: CommitOf,
    at: PathOnSide,
    options: Pick<FileComparison, 'whitespace'>,
  ): Promise<FileDifference | undefined>;
  /**
   * Compares the lines of one file. The diff of a file that is added, removed or a submodule has one hunk.
   *
   * @param file of `compareFiles`, or other states of files
   * @throws ForgeError `not_found` (no such blob), `busy`, `invalid` (another object format)
   */
  diffOfFile(
    sources: DiffSources,
    file: Pick<FileDifference, 'before' | 'after'>,
    options: DiffOptions,
  ): Promise<FileDiff>;
  /**
   * Compares the lines of the first files that `compareFiles` finds, in its order, as far as one page shows them.
   *
   * @returns diffs by the path of the file; files behind the limits are missing, and may be compared one by one
   * @throws ForgeError `not_found`, `busy`; `invalid` (another object format)
   */
  diffsOfFiles(
    from: CommitOf | null,
    to: CommitOf,
    options: DiffOptions & { readonly filesMax: number },
  ): Promise<ReadonlyMap<string, FileDiff>>;
  /**
   * Compares commits with their first parents at one path.
   *
   * @returns changes by the id of the commit, of those that change the file
   * @throws ForgeError `busy`, `invalid` (a path that is not one line)
   */
  blobChangesOf(
    snapshot: Snapshot,
    commits: readonly Oid[],
    path: string,
  ): Promise<ReadonlyMap<Oid, BlobChange>>;
  /**
   * Returns the hunks of a unified diff of two blobs; '' for equal ones and, in place of hunks, a line for binary ones.
   *
   * @throws ForgeError `busy`; `invalid` if there is too much to compare
   */
  compareBlobs(snapshot: Snapshot, blobs: { readonly from: Oid; readonly to: Oid }): Promise<string>;
  /**
   * Finds the commits that brought the lines of a file.
   *
   * @returns groups of lines in the order of the file
   * @throws ForgeError `not_found` (no such commit), `busy` also for a history that is too long; `invalid` for a name that
   *   is not text
   */
  blame(commit: CommitOf, path: string): Promise<readonly BlamedLines[]>;
  /**
   * Searches the text files of a commit for lines with a text, in any case of ASCII letters. Ends after a number of lines,
   * and after a time.
   *
   * @param text one line
   * @throws ForgeError `not_found`, `busy`
   */
  searchFiles(commit: CommitOf, text: string): Promise<FoundLines>;
  /** Returns the best common ancestor of two commits. Throws the same errors as `countBetween`. */
  mergeBase(one: CommitOf, other: CommitOf): Promise<Oid | undefined>;
  /**
   * Lists a slice of a range, newest first.
   *
   * @throws ForgeError `not_found`, `busy`, `invalid` (another object format)
   */
  listCommits(range: CommitRange, slice: Slice): Promise<readonly Oid[]>;
  /** Counts the commits of a range. Throws the same errors as `listCommits`. */
  countCommits(range: CommitRange): Promise<number>;
  /**
   * Lists the newest commits that a branch has gained by a push, and counts all of them. Few commits start no git process.
   *
   * @param move.base where the branch was; null: nowhere, so all commits that the tip reaches count
   * @throws ForgeError as `listCommits`
   */
  listGained(
    snapshot: Snapshot,
    move: { readonly tip: Oid; readonly base: Oid | null },
    limit: number,
  ): Promise<GainedCommits>;
  /**
   * Finds out which of some commits of the same repository reach a commit. Each reaches itself. Missing ones are left out.
   *
   * @throws ForgeError `not_found` if the reached commit does not exist, `busy`
   */
  listReaching(commit: CommitOf, tips: readonly Oid[]): Promise<ReadonlySet<Oid>>;
  /**
   * Streams a diff or patch.
   *
   * If git runs out of memory, it does not compare the lines of large files, and takes them for binary ones. A diff that
   * only names binary files begins with a remark then.
   *
   * @throws ForgeError `not_found`, `busy`; `invalid` if there is too much to compare. If this becomes clear only after
   *   the beginning, the text ends with a line that says so, and git does not apply it
   */
  streamDiff(text: DiffText, signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
  /**
   * Looks up the last commits of entries of a folder in the change index. An entry must exist at that commit.
   *
   * @param wanted.names keys of the entries: their names, or `/` and the hex digits of a name that is not text
   * @returns undefined if the commit is not indexed
   * @throws ForgeError `busy`; the reason of the signal
   */
  findLastCommits(
    source: ObjectSource,
    wanted: { readonly commit: Oid; readonly folder: string; readonly names: readonly string[] },
    signal?: AbortSignal,
  ): Promise<IndexedLastCommits | undefined>;
}
