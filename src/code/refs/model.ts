import type { ObjectType, Oid } from '../../git/format/model.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { SeenPage } from '../../hosting/repositories/refs/page-of-refs.ts';

/** A ref, and the object that it points to. */
export interface NamedRef {
  readonly repository: Repository;
  /** full name */
  readonly name: string;
  readonly oid: Oid;
  readonly type: ObjectType;
}

/** A ref before anything about its object is read. */
export interface FoundRef {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  /** full name */
  readonly name: string;
  readonly oid: Oid;
}

/** One page of the refs whose full names begin with `prefix`, before anything about their objects is read. */
export interface FoundRefs extends SeenPage {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  readonly prefix: string;
}

export interface NewRef {
  /** full name */
  readonly name: string;
  readonly oid: Oid;
  /** rejects the ref if this page has changed since the viewer saw it */
  readonly seen: FoundRefs | undefined;
}

export interface RefMove {
  /** full name */
  readonly name: string;
  readonly oid: Oid;
  /** also to a commit that does not come after the current one */
  readonly isForced: boolean;
  /** rejects a ref that has moved since the viewer saw it there; undefined: wherever it is */
  readonly seen: Oid | undefined;
}
