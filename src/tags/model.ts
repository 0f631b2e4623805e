import type { Oid, Signature, Tag } from '../git/model.ts';
import type { Repository } from '../repositories/model.ts';

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
}

/** An annotated tag, by its id. */
export interface TagObject {
  readonly repository: Repository;
  readonly tag: Tag;
}

export interface NewTag {
  readonly name: string;
  /** '' for a plain tag; otherwise the message of an annotated one */
  readonly message: string;
  /** a branch, tag or commit; '' for the default branch */
  readonly target: string;
}

export const NO_TAGGER: Signature = { name: '', email: '', seconds: 0, zone: '+0000' };
