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

/** One consistent version of a repository. */
export interface Snapshot extends AsyncDisposable {
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
  /** Built in process, for commits made by the API. */
  writeObjects(objects: readonly GitObject[]): Promise<void>;
  /**
   * Of `tips`, those whose whole history is not here (in this session or reachable from the repository's refs).
   */
  findDisconnected(tips: readonly Oid[]): Promise<readonly Oid[]>;
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
  /** Rows now, bytes by the next sweep. */
  remove(id: RepositoryId, tx: Tx): Promise<void>;
  /** @throws ForgeError `not_found` */
  open(id: RepositoryId): Promise<Snapshot>;
  write(id: RepositoryId): Promise<WriteSession>;
  /** Points HEAD at another ref name. */
  setHead(id: RepositoryId, head: string, tx: Tx): Promise<void>;
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
