import type { Readable } from 'node:stream';
import type { Tx } from '../database/database.ts';

export type ObjectFormat = 'sha1' | 'sha256';
/** Lower-case hex, 40 or 64 digits by the repository's object format. */
export type Oid = string;
export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';
export type RepositoryId = number;

/** As in a tree object: git-mktree(1). */
export type TreeMode = '100644' | '100755' | '120000' | '160000' | '040000';

/** Names are bytes in git; here they are UTF-8 text where they are that, else `bytes` alone tells them exactly. */
export interface TreeEntry {
  readonly mode: TreeMode;
  readonly name: string;
  /** the name as stored, for entries whose name is not valid UTF-8; undefined for all others */
  readonly bytes?: Uint8Array;
  readonly oid: Oid;
}

/** A name, an address and a moment, as a commit or tag holds them. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** seconds since 1970, UTC */
  readonly seconds: number;
  /** as written, such as `+0200` */
  readonly zone: string;
}

export interface Commit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
  /** the signature as stored, without the folding; null for an unsigned commit */
  readonly signature: string | null;
}

export interface Tag {
  readonly oid: Oid;
  readonly object: Oid;
  readonly type: ObjectType;
  readonly name: string;
  readonly tagger: Signature | null;
  readonly message: string;
}

/** An object to be written: its content without git's header. */
export interface GitObject {
  readonly oid: Oid;
  readonly type: ObjectType;
  readonly content: Uint8Array;
}

export interface ObjectInfo {
  readonly type: ObjectType;
  readonly sizeBytes: number;
}

/**
 * Reads objects by full id. Every method throws ForgeError `not_found` where the object is absent or of another
 * type, and `busy` where the server is at its limits.
 */
export interface ObjectReader {
  /** undefined: no such object */
  info(oid: Oid): Promise<ObjectInfo | undefined>;
  readCommit(oid: Oid): Promise<Commit>;
  readTree(oid: Oid): Promise<readonly TreeEntry[]>;
  readTag(oid: Oid): Promise<Tag>;
  /** @throws ForgeError `too_large` before the body of a larger one is read */
  readBlob(oid: Oid, options: { blobBytesMax: number }): Promise<Uint8Array>;
  /** Whole content as a stream; destroying the stream ends the work behind it. */
  streamBlob(oid: Oid): Promise<{ sizeBytes: number; stream: Readable }>;
  /** The commit that an id leads to, through annotated tags; undefined where it leads to none. */
  peelToCommit(oid: Oid): Promise<Oid | undefined>;
  /** The full id that `hex` (4 digits at least) begins; undefined where none or several do. */
  resolvePrefix(hex: string): Promise<Oid | undefined>;
}

/**
 * One consistent version of a repository. It holds nothing open and needs no disposal: its refs are in memory, objects
 * never change, and maintenance keeps unreachable objects for a grace period.
 */
export interface Snapshot {
  readonly id: RepositoryId;
  readonly version: number;
  readonly objectFormat: ObjectFormat;
  /** full name of the ref HEAD points to, whether that ref exists or not */
  readonly head: string;
  ref(name: string): Oid | undefined;
  /** All refs whose full name begins with `prefix`, in order of their names. */
  refs(prefix: string): Iterable<readonly [name: string, oid: Oid]>;
  /** What an annotated tag finally points to; undefined for any other ref. */
  peeled(name: string): Oid | undefined;
  readonly objects: ObjectReader;
}

/** `null` stands for absent. `old` is always compared with what is there. */
export interface RefUpdate {
  readonly ref: string;
  readonly old: Oid | null;
  readonly new: Oid | null;
}

/** Why a ref did not move. */
export type RefRefusal =
  /** it is not at `old` any more */
  | 'stale'
  /** a ref exists whose name is a folder of this one, or the other way round */
  | 'name-conflict'
  /** the update is fine, but another one of the same atomic set is not */
  | 'atomic';

export type RefResult = { readonly ref: string } & (
  | { readonly outcome: 'moved' }
  | { readonly outcome: 'refused'; readonly why: RefRefusal }
);

/** New objects, invisible to everybody else until they are committed. Disposing it throws them away. */
export interface WriteSession extends AsyncDisposable {
  readonly base: Snapshot;
  /** Sees the objects of the repository and those written here. */
  readonly objects: ObjectReader;
  /**
   * Takes in a pack as git sends it and reads it to its end, also when it is refused.
   *
   * @param options.shallow commits that the sender says it has no parents of
   * @param options.onProgress lines meant for the person who pushes
   * @throws ForgeError `invalid` (broken or refused by fsck, with git's words), `too_large`, `busy`
   */
  ingestPack(
    pack: Readable,
    options: { bytesMax: number; shallow?: readonly Oid[]; onProgress?: (text: Uint8Array) => void },
  ): Promise<void>;
  /**
   * Brings along what `tips` of another repository reach and the refs of this one do not. It is all there is to those
   * histories, so whoever asks must be allowed to read them there.
   *
   * @throws ForgeError `not_found` (a tip is not there), `invalid` (another object format), `too_large`, `busy`
   */
  takeFrom(other: Snapshot, tips: readonly Oid[]): Promise<void>;
  /** Built in process, for commits made by the API. */
  writeObjects(objects: readonly GitObject[]): Promise<void>;
  /**
   * Of `tips`, those whose whole history is not here (in this session or reachable from the repository's refs).
   */
  findDisconnected(tips: readonly Oid[]): Promise<readonly Oid[]>;
}

/** A commit, and a version of the repository that has it. */
export interface CommitOf {
  readonly snapshot: Snapshot;
  readonly oid: Oid;
}

/** How far two histories are apart: commits that only the base reaches, and those that only the head does. */
export interface Apart {
  readonly behind: number;
  readonly ahead: number;
}

export interface ForkOptions {
  /** all branches and tags, or the branch that HEAD of the parent points to and no more */
  readonly refs: 'all' | 'default-branch';
}

/** How much there is of a repository's objects. */
export interface ObjectsMeasure {
  /** of all files */
  readonly bytes: number;
  readonly packs: number;
  /** objects in a file of their own */
  readonly looseObjects: number;
}

export interface VerifyReport {
  readonly id: RepositoryId;
  /** one line each, empty when rows, mirror, objects and fsck agree */
  readonly problems: readonly string[];
}

/**
 * Where git data lives: the only way to it. Refs and HEAD are rows, objects immutable files; the bare repository on
 * disk mirrors the rows so that any git can read it.
 */
export interface GitStorage {
  /** Writes rows only; the folder comes into being when it is first needed. */
  create(id: RepositoryId, options: { head: string; objectFormat: ObjectFormat }, tx: Tx): Promise<void>;
  /**
   * Makes a fork: a repository of its own, with HEAD, branches and tags of the parent at one moment. Its objects are
   * the parent's files under second names, so it takes no time and nearly no room, and whatever becomes of the parent,
   * the fork keeps them; no object store is shared.
   *
   * What no branch or tag of the parent reaches comes along: to leave it out, git would have to write all packs anew.
   * Whoever may fork can read those objects in the parent, too, and they keep their dates, so a prune of the fork takes
   * them away as soon as one of the parent would. Whoever forks therefore asks for a prune, as a push does, and does
   * not show the fork to more people than the parent before that is done.
   *
   * @param inTransaction writes the rows that speak of the fork and calls `create` with its id, once; where objects were
   *   pruned in between, it is undone and called again
   * @throws ForgeError `not_found`, and what `inTransaction` throws: nothing is left then
   */
  fork<T>(
    parent: RepositoryId,
    options: ForkOptions,
    inTransaction: (tx: Tx, create: (tx: Tx, id: RepositoryId) => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /**
   * Counts across two repositories, such as a fork and its parent, or in one.
   *
   * @throws ForgeError `not_found` (no such commit), `invalid` (another object format), `busy`
   */
  countBetween(base: CommitOf, head: CommitOf): Promise<Apart>;
  /** Whether `descendant` reaches `ancestor`, or is the same commit. Throws as `countBetween` does. */
  isAncestor(ancestor: CommitOf, descendant: CommitOf): Promise<boolean>;
  /** Rows now, bytes by the next sweep. */
  remove(id: RepositoryId, tx: Tx): Promise<void>;
  /** @throws ForgeError `not_found` */
  open(id: RepositoryId): Promise<Snapshot>;
  write(id: RepositoryId): Promise<WriteSession>;
  /** Points HEAD at another ref name. */
  setHead(id: RepositoryId, head: string, tx: Tx): Promise<void>;
  /** The same where that ref exists, else nothing. @returns whether HEAD points elsewhere now */
  switchHead(id: RepositoryId, head: string, tx: Tx): Promise<boolean>;
  /**
   * Makes the session's objects durable, then moves all `updates` that are still at their `old` in one transaction.
   * With `atomic`, all of them or none. `inTransaction` runs in it, after the refs moved and only if at least one did.
   */
  commit(
    session: WriteSession,
    updates: readonly RefUpdate[],
    options: { atomic: boolean; inTransaction(tx: Tx, moved: readonly RefUpdate[]): Promise<void> },
  ): Promise<readonly RefResult[]>;
  /**
   * A folder that git children may read, whose refs are at least as new as `snapshot`.
   */
  mirror(snapshot: Snapshot): Promise<{ readonly gitDir: string }>;
  /** A folder whose objects git children may read by their ids. What it says of refs is not to be trusted. */
  objectsFolder(snapshot: Snapshot): Promise<{ readonly gitDir: string }>;
  maintain(id: RepositoryId, job: 'repack' | 'prune' | 'commit-graph'): Promise<'done' | 'lost-race'>;
  /** What its objects take on disk. */
  measure(id: RepositoryId): Promise<ObjectsMeasure>;
  /** Removes what nothing refers to and is older than `graceMs`: removed repositories, abandoned quarantines. */
  sweep(graceMs: number): Promise<number>;
  verify(id: RepositoryId): Promise<VerifyReport>;
  /** Takes in refs that were changed by hand in the bare repository. Only for `doctor --import-refs`. */
  importRefs(id: RepositoryId): Promise<readonly RefUpdate[]>;
  /** Every repository that has rows here. */
  list(): Promise<readonly RepositoryId[]>;
  close(): Promise<void>;
}
