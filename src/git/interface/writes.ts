import type { Tx } from '../../base/database/database.ts';
import type { EditedTree } from '../format/edited-tree.ts';
import type { FileState, GitObject, ObjectFormat, Oid } from '../format/model.ts';
import type { RefResult, RefUpdate } from './refs.ts';
import type { ObjectReader, RepositoryId, Snapshot } from './snapshot.ts';

/** A blob that is too large for memory, as its drafts have stored it. */
export interface StoredBlob {
  readonly oid: Oid;
  readonly isStored: true;
}

/** The content of a blob to write, or a blob that was written before. */
export type NewBlob = Uint8Array | StoredBlob;

export interface DraftContent {
  readonly sizeBytes: number;
  /** Reads the content from its start, any number of times. */
  read(): AsyncIterable<Buffer>;
}

/** New blobs whose contents arrive one after the other, in pieces. They are invisible until a session commits them. */
export interface BlobDrafts {
  /** Begins the next blob. They have the numbers 0, 1, 2 and so on. */
  begin(): Promise<void>;
  write(bytes: Buffer): Promise<void>;
  /** Returns the content of a whole blob, which is there until `discard`. */
  content(number: number): Promise<DraftContent>;
  /**
   * Runs `work` with whole blobs, which any number of sessions of their repository may add until `work` ends. Call this
   * once.
   */
  use<T>(numbers: readonly number[], work: (blobs: readonly NewBlob[]) => Promise<T>): Promise<T>;
  /** Waits for the other calls and deletes all files. Must be called once. */
  discard(): Promise<void>;
}

/** How much the objects of one push may take when git unpacks them. */
export interface UnpackedLimits {
  readonly objectBytesMax: number;
  readonly pushBytesMax: number;
}

export interface PackLimits {
  readonly bytesMax: number;
  /** absent for a pack of this server, whose objects were checked before */
  readonly unpacked?: UnpackedLimits;
}

export interface IngestOptions extends PackLimits {
  /** commits whose parents the sender does not have */
  readonly shallow?: readonly Oid[];
  /** refs near which the new commits begin, by their targets; others only make it slower */
  readonly onto?: readonly Oid[];
  /** receives progress lines for the pusher */
  readonly onProgress?: (text: Uint8Array) => void;
}

/** Three versions of a text. */
export interface TextMerge {
  /** the version from which both others were made */
  readonly base: Uint8Array;
  readonly current: Uint8Array;
  readonly other: Uint8Array;
}

/** Two commits to merge. */
export interface CommitMerge {
  readonly ours: Oid;
  readonly theirs: Oid;
}

/** The changes from `base` to `theirs`, applied to `ours`. All of them are trees. */
export interface TreeMerge {
  readonly base: Oid;
  readonly ours: Oid;
  readonly theirs: Oid;
}

/** What a merge leads to. */
export type MergeOutcome =
  | { readonly kind: 'clean'; readonly tree: Oid }
  /**
   * paths of files that both sides have changed in ways that exclude each other, sorted; at most `conflictsNamedMax`
   */
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** Merges of commits and trees of a repository and of a session. New blobs and trees are in the session. */
export interface Merges {
  /**
   * Returns the best common ancestors of two commits; none of unrelated histories.
   *
   * @throws ForgeError `not_found`, `busy`
   */
  findBases(commits: CommitMerge): Promise<readonly Oid[]>;
  /**
   * Merges two commits as `git merge` does, but makes no commit.
   *
   * @returns undefined for unrelated histories
   * @throws ForgeError `not_found`, `busy`; `conflict` if the merge takes too much time or memory, or its
   *   folders are nested too deeply
   */
  mergeCommits(merge: CommitMerge): Promise<MergeOutcome | undefined>;
  /** Applies the changes between two trees to a third one, as `git cherry-pick` does. Throws as `mergeCommits`. */
  mergeTrees(merge: TreeMerge): Promise<MergeOutcome>;
}

/** What a patch does to one path. */
export interface PatchedFile {
  readonly path: string;
  /** null: no such file */
  readonly before: FileState | null;
  /** null: no such file any more */
  readonly after: FileState | null;
}

/**
 * Signs a commit that the server makes.
 *
 * @param content of the commit, without a signature
 * @returns the armored signature
 */
export type SignCommit = (content: Uint8Array) => Promise<string>;

/** New objects that are invisible outside the session until it is committed. Disposal discards uncommitted ones. */
export interface WriteSession extends AsyncDisposable {
  readonly base: Snapshot;
  /** undefined: the server signs no commits */
  readonly signCommit: SignCommit | undefined;
  /** number of objects in its packs: an upper bound of its new commits */
  readonly packedObjects: number;
  /** bytes of the objects that were written into it one by one; of large blobs, after compression */
  readonly writtenBytes: number;
  /** bytes of its packs, and of the objects that were written one by one; about what they take on disk */
  readonly newBytes: number;
  /** Reads objects of the repository and of this session. */
  readonly objects: ObjectReader;
  readonly merges: Merges;
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
  copyFrom(other: Snapshot, tips: readonly Oid[]): Promise<void>;
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
   * Returns the first commit on the line of first parents of `tip` that the repository's refs reach, and `tip` itself
   * if they do; null if there is none.
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

/** A ref of the server that points to a commit, or is deleted, whatever it pointed to before. */
export interface FollowingRef {
  readonly ref: string;
  /** null deletes the ref */
  readonly commit: Oid | null;
}

export interface CommitOptions {
  /** moves all refs or none */
  readonly atomic: boolean;
  /** commits of the session or the repository to which refs may follow; absent: only those to which a ref moves */
  readonly tips?: readonly Oid[] | undefined;
  /**
   * Runs in the transaction that moves the refs, if at least one ref moves or there are `tips`.
   *
   * @returns refs that follow in the same transaction
   */
  inTransaction(tx: Tx, moved: readonly RefUpdate[]): Promise<readonly FollowingRef[]>;
}

export interface ForkOptions {
  /** all branches and tags, or only the branch that the parent's HEAD points to */
  readonly refs: 'all' | 'default-branch';
}

/** The only methods that store objects. Objects are durable before a row names them, or in the same transaction. */
export interface Writes {
  /** @throws ForgeError `not_found` */
  begin(id: RepositoryId): Promise<WriteSession>;
  /** Begins blobs of a repository, before a session begins. */
  draftBlobs(id: RepositoryId, format: ObjectFormat): BlobDrafts;
  /**
   * Makes the session's objects durable, and applies all `updates` whose refs are still at `old` in one transaction.
   */
  commit(
    session: WriteSession,
    updates: readonly RefUpdate[],
    options: CommitOptions,
  ): Promise<readonly RefResult[]>;
  /**
   * Makes the session's objects durable without moving a ref. Maintenance deletes them after a grace period unless a
   * ref comes to reach them.
   *
   * @param inTransaction runs once the objects are durable; an error in it undoes only its rows
   * @returns false if objects have been deleted since the session began: it may rely on one of them
   */
  storeObjects(session: WriteSession, inTransaction: (tx: Tx) => Promise<void>): Promise<boolean>;
  /**
   * Creates a fork: an independent repository with HEAD, branches and tags of the parent at one moment. It gets the
   * parent's files of objects as they are, so it takes no time and nearly no space. The two share no object store: the
   * fork keeps its objects even if the parent is deleted.
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
}
