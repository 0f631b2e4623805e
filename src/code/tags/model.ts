import type { ObjectType, Oid, Signature, Tag } from '../../git/format/model.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { StatedPerson } from '../git-data/write.ts';
import type { Verification } from '../verification/model.ts';

/** A tag ref and what it points to. */
export interface TagRef {
  readonly repository: Repository;
  /** short name */
  readonly name: string;
  /** the tag object of an annotated tag; otherwise what the ref points to */
  readonly oid: Oid;
  /** the object that the tag finally points to, usually a commit */
  readonly target: Oid;
  /** of the annotated tag; of a plain tag's commit; '' for a plain tag of something else */
  readonly message: string;
  /** when the tag or its commit was made, in seconds; null if that is unknown */
  readonly seconds: number | null;
  /** who made the tag or its commit, as git has the name; '' if that is unknown */
  readonly maker: string;
}

/** An annotated tag, by its id. */
export interface TagObject {
  readonly repository: Repository;
  readonly tag: Tag;
  readonly verification: Verification;
}

export interface NewTag {
  readonly name: string;
  /** '' for a plain tag; otherwise the message of an annotated one */
  readonly message: string;
  /** a branch, tag or commit; '' for the default branch */
  readonly target: string;
}

/** An annotated tag to write, without a ref. */
export interface NewTagObject {
  readonly name: string;
  readonly message: string;
  readonly object: Oid;
  readonly type: ObjectType;
  /** undefined: the caller, now */
  readonly tagger: StatedPerson | undefined;
}

export const NO_TAGGER: Signature = { name: '', email: '', seconds: 0, zone: '+0000' };
