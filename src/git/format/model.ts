export type ObjectFormat = 'sha1' | 'sha256';
/** Lower-case hex with 40 or 64 digits, depending on the repository's object format. */
export type Oid = string;
export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

/** As in a tree object: git-mktree(1). */
export type TreeMode = '100644' | '100755' | '120000' | '160000' | '040000';

/** An entry of a tree. git stores names as bytes; `name-bytes.ts` has the text of each name. */
export interface TreeEntry {
  readonly mode: TreeMode;
  readonly name: string;
  readonly oid: Oid;
}

/** A file, link or submodule as an entry of a tree has it. */
export interface FileState {
  readonly mode: Exclude<TreeMode, '040000'>;
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
