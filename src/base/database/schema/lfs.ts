import type { Generated } from 'kysely';

/**
 * Written by `lfs/`. Objects of git-lfs. A row exists from before its bytes are stored until after they are deleted. The id
 * is a part of the key in the object store, so an object that arrives while its predecessor is deleted has other bytes.
 */
export interface LfsObjectsTable {
  id: Generated<number>;
  /** SHA-256, hex; at most one row that is not doomed has it */
  oid: string;
  /** as announced until the bytes are stored */
  bytes: number;
  is_stored: number;
  /** whether the bytes are to be deleted; never reset */
  is_doomed: number;
  /** when to check whether a repository links the object; null while one surely does */
  collect_at: number | null;
  created_at: number;
}

/** Written by `lfs/`. The objects that belong to a repository. */
export interface LfsLinksTable {
  repository_id: number;
  object_id: number;
  created_at: number;
}

/** Written by `lfs/`. Uploads in parts, which can continue after a cut. */
export interface LfsUploadsTable {
  id: Generated<number>;
  repository_id: number;
  account_id: number;
  oid: string;
  bytes: number;
  expires_at: number;
}

/** Written by `lfs/`. Files that one user has locked. */
export interface LfsLocksTable {
  id: Generated<number>;
  repository_id: number;
  path: string;
  owner_id: number;
  created_at: number;
}

export interface LfsTables {
  lfs_objects: LfsObjectsTable;
  lfs_links: LfsLinksTable;
  lfs_uploads: LfsUploadsTable;
  lfs_locks: LfsLocksTable;
}
