export type ObjectFormat = 'sha1' | 'sha256';
/** Lower-case hex with 40 or 64 digits, depending on the repository's object format. */
export type Oid = string;
export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

/** As in a tree object: git-mktree(1). */
export type TreeMode = '100644' | '100755' | '120000' | '160000' | '040000';

/** An entry of a tree. git stores names as bytes; `objects/name-bytes.ts` has the text of each name. */
export interface TreeEntry {
  readonly mode: TreeMode;
  readonly name: string;
  readonly oid: Oid;
}

/** The name, email address and time of an author, committer or tagger. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** seconds since 1970, UTC */
  readonly seconds: number;
  /** as written, such as `+0200` */
  readonly zone: string;
}

/** The signature of a commit or a tag, which nothing has verified. */
export interface CommitSignature {
  /** without line folding, with a final line feed */
  readonly text: string;
  /** the bytes that it signs: the object without its signature */
  readonly payload: Uint8Array;
}

export interface Commit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
  /** null for an unsigned commit */
  readonly signature: CommitSignature | null;
}

export interface Tag {
  readonly oid: Oid;
  readonly object: Oid;
  readonly type: ObjectType;
  readonly name: string;
  readonly tagger: Signature | null;
  /** with the signature, which is at its end */
  readonly message: string;
  /** null for an unsigned tag */
  readonly signature: CommitSignature | null;
}

/** An object to write. `content` excludes git's header. */
export interface GitObject {
  readonly oid: Oid;
  readonly type: ObjectType;
  readonly content: Uint8Array;
}

/** A blob that is too large for memory, in a file as git stores it. Its drafts delete the file. */
export interface StoredBlob {
  readonly oid: Oid;
  readonly file: string;
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
