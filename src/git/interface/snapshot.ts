import type { Readable } from 'node:stream';
import type { Commit, ObjectFormat, ObjectType, Oid, Tag, TreeEntry } from '../format/model.ts';
import type { StoredTree } from '../format/stored-tree.ts';

export type RepositoryId = number;

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

/** A commit and a version of the repository that contains it. */
export interface CommitOf {
  readonly snapshot: Snapshot;
  readonly oid: Oid;
}
