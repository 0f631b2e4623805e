import type { Readable } from 'node:stream';
import type { Stretch } from '../base/core/paging.ts';
import type { Tx } from '../base/database/database.ts';
import type { ArchiveOptions } from './archives/model.ts';
import type { CommitTimes } from './commit-times.ts';
import type { DeletedObjects } from './folders/deleted-objects.ts';
import type { EditedTree } from './format/edited-tree.ts';
import type { Commit, GitObject, ObjectFormat, ObjectType, Oid, Tag, TreeEntry } from './format/model.ts';
import type { StoredTree } from './format/stored-tree.ts';
import type { Apart, BlobChange, ChangedFile, CommitChanges, TextMerge } from './history/model.ts';
import type { ObjectsMeasure, VerifyReport } from './maintenance/model.ts';
import type { BlobDrafts, StoredBlob } from './objects/model.ts';
import type { IngestOptions } from './pack-limits.ts';
import type { PatchedFile } from './patches/model.ts';
import type { TransferResources } from './processes/transfer-resources.ts';

export type {
  Commit,
  CommitSignature,
  GitObject,
  ObjectFormat,
  ObjectType,
  Oid,
  Signature,
  Tag,
  TreeEntry,
  TreeMode,
} from './format/model.ts';
export type { BlobDrafts, DraftContent, NewBlob, StoredBlob } from './objects/model.ts';

export type RepositoryId = number;

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

export interface ObjectInfo {
  readonly type: ObjectType;
  readonly sizeBytes: number;
}

/**
 * Reads objects by full id. Every method throws ForgeError `not_found` if the object is absent or of another type, and
 * `busy` if the server is at its limits.
 */
export interface ObjectReader {
  /** undefined: no such object */
  info(oid: Oid): Promise<ObjectInfo | undefined>;
  readCommit(oid: Oid): Promise<Commit>;
  readTree(oid: Oid): Promise<readonly TreeEntry[]>;
  /** As `readTree`, without making objects of all entries. */
  openTree(oid: Oid): Promise<StoredTree>;
  readTag(oid: Oid): Promise<Tag>;
  /** @throws ForgeError `too_large` before it reads the body of a larger blob */
  readBlob(oid: Oid, options: { blobBytesMax: number }): Promise<Uint8Array>;
  /** Streams the whole content. Destroying the stream ends its child process. */
  streamBlob(oid: Oid): Promise<{ sizeBytes: number; stream: Readable }>;
  /** Follows annotated tags to a commit. Returns undefined if they do not lead to one. */
  peelToCommit(oid: Oid): Promise<Oid | undefined>;
  /** Returns the full id that begins with `hex` (at least 4 digits); undefined for no match or several. */
  resolvePrefix(hex: string): Promise<Oid | undefined>;
  /** Does the same for several beginnings at once, by beginning; leaves out those with no match or several. */
  resolvePrefixes(hexes: readonly string[]): Promise<ReadonlyMap<string, Oid>>;
}

/**
 * One consistent version of a repository. It holds nothing open and needs no disposal: its refs are in memory, objects
 * never change, and maintenance keeps unreachable objects for a grace period.
 */
export interface Snapshot {
  readonly id: RepositoryId;
  readonly version: number;
  readonly objectFormat: ObjectFormat;
  /** full name of the ref that HEAD points to, which may not exist */
  readonly head: string;
  ref(name: string): Oid | undefined;
  /** Yields all refs whose names begin with `prefix`, sorted; `peeled` is what an annotated tag finally points to. */
  refs(prefix: string): Iterable<readonly [name: string, oid: Oid, peeled: Oid | null]>;
  /** Returns how many refs `refs` yields. Does not visit each of them. */
  countRefs(prefix: string): number;
  /** Whether a ref points to the object itself. Does not visit each ref. */
  isTip(oid: Oid): boolean;
  /** Returns the object that an annotated tag finally points to; undefined for other refs. */
  peeled(name: string): Oid | undefined;
  readonly objects: ObjectReader;
}

/** The objects of a repository: all of them, or those of a session, too. */
export type ObjectSource = Pick<Snapshot, 'id' | 'objectFormat' | 'objects'>;

/** A requested change of one ref. `null` means absent. The change applies only if the ref is still at `old`. */
export interface RefUpdate {
  readonly ref: string;
  readonly old: Oid | null;
  readonly new: Oid | null;
}

/** Why a ref did not move. */
export type RefRejection =
  /** the ref is no longer at `old` */
  | 'stale'
  /** an existing ref name is a folder of this name, or this name is a folder of it */
  | 'name-conflict'
  /** another update of the same atomic set was rejected */
  | 'atomic';

export type RefResult = { readonly ref: string } & (
  | { readonly outcome: 'moved' }
  | { readonly outcome: 'rejected'; readonly why: RefRejection }
);

/** New objects that are invisible outside the session until it is committed. Disposal discards uncommitted ones. */
export interface WriteSession extends AsyncDisposable {
  readonly base: Snapshot;
  /** number of objects in its packs: an upper bound of its new commits */
  readonly packedObjects: number;
  /** bytes of the objects that were written into it one by one; of large blobs, after compression */
  readonly writtenBytes: number;
  /** Reads objects of the repository and of this session. */
  readonly objects: ObjectReader;
  /**
   * Ingests a pack as git sends it. Reads it to its end even if it is rejected.
   *
   * @throws ForgeError `invalid` (broken or rejected by fsck, with git's message), `too_large`, `busy`
   */
  ingestPack(pack: AsyncIterable<Buffer>, options: IngestOptions): Promise<void>;
  /**
   * Copies all objects that `tips` of another repository reach and the refs of this one do not. It copies whole
   * histories, so the caller must be allowed to read them there.
   *
   * @throws ForgeError `not_found` (a missing tip), `invalid` (another object format), `too_large`, `busy`
   */
  takeFrom(other: Snapshot, tips: readonly Oid[]): Promise<void>;
  /** Writes objects that were built in this process, for commits of the API. */
  writeObjects(objects: readonly GitObject[]): Promise<void>;
  /**
   * Writes objects that git has checked as it checks a push. Needed if git itself reads one of the files.
   *
   * @throws ForgeError `invalid` with git's message, `busy`
   */
  writeChecked(objects: readonly GitObject[]): Promise<void>;
  /**
   * Applies a patch to the files of a tree, and writes the new blobs. The caller edits the tree.
   *
   * @param tree without edits
   * @throws ForgeError `invalid` with git's reason if the patch does not apply or takes too much; `busy`
   */
  applyPatch(tree: EditedTree, patch: Uint8Array): Promise<readonly PatchedFile[]>;
  /** Adds blobs of drafts. */
  addBlobs(blobs: readonly StoredBlob[]): Promise<void>;
  /**
   * Returns the `tips` without complete history in this session and the objects that the repository's refs reach.
   */
  findDisconnected(tips: readonly Oid[]): Promise<readonly Oid[]>;
  /** Whether `descendant` is or reaches `ancestor`: commits of the repository or of this session. */
  isReached(commits: { readonly ancestor: Oid; readonly descendant: Oid }): Promise<boolean>;
  /**
   * Merges two changes of a text by lines. Where both changed the same lines, the result has the lines of both.
   *
   * @throws ForgeError `busy`
   */
  mergeTexts(texts: TextMerge): Promise<Buffer>;
  /**
   * Returns the first commit on the line of first parents of `tip` that the repository's refs reach, and `tip` itself if
   * they do; null if there is none.
   */
  findBranchBase(tip: Oid): Promise<Oid | null>;
  /** Lists at most `countMax` of the commits that `tip` reaches and `base` does not. */
  listCommitsSince(
    range: { readonly tip: Oid; readonly base: Oid | null },
    countMax: number,
  ): Promise<readonly Oid[]>;
  /**
   * Yields the contents of the blobs that `tips` reach and the repository's refs do not, each once.
   *
   * @param options.bytesMax leaves out larger blobs
   * @throws ForgeError `busy`
   */
  readNewBlobs(tips: readonly Oid[], options: { bytesMax: number }): AsyncIterable<Uint8Array>;
}

/** A commit and a version of the repository that contains it. */
export interface CommitOf {
  readonly snapshot: Snapshot;
  readonly oid: Oid;
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
  | { readonly kind: 'diff'; readonly from: CommitOf | null; readonly to: CommitOf }
  | { readonly kind: 'patch'; readonly of: CommitOf }
  | { readonly kind: 'patches'; readonly from: CommitOf; readonly to: CommitOf };

export interface ForkOptions {
  /** all branches and tags, or only the branch that the parent's HEAD points to */
  readonly refs: 'all' | 'default-branch';
}

/**
 * The only access to git data. Refs and HEAD are rows, and objects are immutable files. The bare repository on disk
 * mirrors the rows, so that any git can read it.
 */
export interface GitStorage {
  readonly transfers: TransferResources;
  /** Writes only rows. The first use creates the folder. */
  create(id: RepositoryId, options: { head: string; objectFormat: ObjectFormat }, tx: Tx): Promise<void>;
  /**
   * Creates a fork: an independent repository with HEAD, branches and tags of the parent at one moment. Its objects are
   * hard links to the parent's files, so it takes no time and nearly no space. The two share no object store: the fork
   * keeps its objects even if the parent is deleted.
   *
   * The fork also gets objects that no branch or tag of the parent reaches, because leaving them out would require git
   * to rewrite all packs. A caller who may fork can read those objects in the parent, too. They keep their dates, so a
   * prune deletes them from the fork when it would delete them from the parent. The caller therefore requests a prune,
   * as after a push, and does not make the fork more visible than the parent before that prune.
   *
   * @param inTransaction writes the rows of the fork and calls `create` with its id once; it is rolled back and called
   *   again if objects were pruned meanwhile
   * @throws ForgeError `not_found`, and any error of `inTransaction`; nothing of the fork remains then
   */
  fork<T>(
    parent: RepositoryId,
    options: ForkOptions,
    inTransaction: (tx: Tx, create: (tx: Tx, id: RepositoryId) => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /**
   * Compares two commits of one repository or of two, such as a fork and its parent.
   *
   * @throws ForgeError `not_found` (no such commit), `invalid` (another object format), `busy`
   */
  countBetween(base: CommitOf, head: CommitOf): Promise<Apart>;
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
  /** Returns the best common ancestor of two commits. Throws the same errors as `countBetween`. */
  mergeBase(one: CommitOf, other: CommitOf): Promise<Oid | undefined>;
  /**
   * Lists a stretch of a range, newest first.
   *
   * @throws ForgeError `not_found`, `busy`, `invalid` (another object format)
   */
  listCommits(range: CommitRange, stretch: Stretch): Promise<readonly Oid[]>;
  /** Counts the commits of a range. Throws the same errors as `listCommits`. */
  countCommits(range: CommitRange): Promise<number>;
  /**
   * Streams a diff or patch.
   *
   * @throws ForgeError `not_found`, `busy`; `invalid` if there is too much to compare. The stream breaks off if this
   *   becomes clear only later
   */
  streamDiff(text: DiffText, signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
  /**
   * Yields an archive of the files of a commit, or a bundle of its history, while git writes it.
   *
   * @throws ForgeError `invalid` if the commit is too large for the memory and time of an archive, `busy`; the reason of
   *   the signal
   */
  archive(commit: CommitOf, options: ArchiveOptions): AsyncGenerator<Buffer>;
  /** Whether `descendant` is or reaches `ancestor`. Throws the same errors as `countBetween`. */
  isAncestor(ancestor: CommitOf, descendant: CommitOf): Promise<boolean>;
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
  /**
   * Adds the next part of the history of `tips` to the change index, the oldest commits first. The parts are bounded,
   * so that repositories can take turns.
   *
   * @returns `more` if a part is missing; `full` if the limits of the index do not allow to add it
   * @throws ForgeError `busy`; the reason of the signal
   */
  indexChanges(
    of: Snapshot,
    tips: readonly Oid[],
    signal: AbortSignal,
  ): Promise<'complete' | 'more' | 'full'>;
  /** Deletes the rows. A sweep deletes the files later. */
  remove(id: RepositoryId, tx: Tx): Promise<void>;
  /** @throws ForgeError `not_found` */
  open(id: RepositoryId): Promise<Snapshot>;
  write(id: RepositoryId): Promise<WriteSession>;
  /** Begins blobs of a repository, before a session begins. */
  draftBlobs(id: RepositoryId, format: ObjectFormat): BlobDrafts;
  /** Points HEAD to another ref name. */
  setHead(id: RepositoryId, head: string, tx: Tx): Promise<void>;
  /** Points HEAD to another ref if that ref exists. @returns whether HEAD changed */
  switchHead(id: RepositoryId, head: string, tx: Tx): Promise<boolean>;
  /**
   * Makes the session's objects durable, then applies all `updates` whose refs are still at `old` in one transaction.
   * With `atomic`, it applies all of them or none. If at least one ref moved, `inTransaction` then runs in the same
   * transaction.
   */
  commit(
    session: WriteSession,
    updates: readonly RefUpdate[],
    options: { atomic: boolean; inTransaction(tx: Tx, moved: readonly RefUpdate[]): Promise<void> },
  ): Promise<readonly RefResult[]>;
  /**
   * Makes the session's objects durable without moving a ref. Maintenance deletes them after a grace period unless a ref
   * comes to reach them.
   *
   * @param inTransaction runs once the objects are durable; an error in it undoes only its rows
   * @returns false if objects have been deleted since the session began: it may rely on one of them
   */
  keep(session: WriteSession, inTransaction: (tx: Tx) => Promise<void>): Promise<boolean>;
  /** Returns a folder for git children, with refs at least as new as `snapshot`. */
  mirror(snapshot: Snapshot): Promise<{ readonly gitDir: string }>;
  /** Returns a folder from which git children may read objects by id. Its refs may be out of date. */
  objectsFolder(snapshot: Snapshot): Promise<{ readonly gitDir: string }>;
  maintain(id: RepositoryId, job: 'repack' | 'prune' | 'commit-graph'): Promise<'done' | 'lost-race'>;
  /** Deletes all objects that no ref reaches, even new ones. `lost-race`: a ref came to reach one, and all remain. */
  purge(id: RepositoryId): Promise<DeletedObjects | 'lost-race'>;
  /**
   * Deletes the rows of refs that were deleted before the previous call.
   *
   * @returns whether there are younger ones
   */
  compactRefs(id: RepositoryId): Promise<boolean>;
  /** Measures the disk usage of the objects. */
  measure(id: RepositoryId): Promise<ObjectsMeasure>;
  /** Makes the objects of small changes, which are rows of the database at first, durable as files. */
  settle(): Promise<void>;
  /** Deletes unreferenced files older than `graceMs`, of removed repositories and abandoned quarantines. */
  sweep(graceMs: number): Promise<number>;
  verify(id: RepositoryId): Promise<VerifyReport>;
  /** Imports refs that were changed by hand in the bare repository. Only for `doctor --import-refs`. */
  importRefs(id: RepositoryId): Promise<readonly RefUpdate[]>;
  /** Lists all repositories that have rows. */
  list(): Promise<readonly RepositoryId[]>;
  close(): Promise<void>;
}
