import type { Generated } from 'kysely';

/** Written by `git/`. The authoritative record of refs, which a bare repository on disk mirrors. */
export interface GitRepositoriesTable {
  /** the repository's id, never reused; also names its folder */
  id: number;
  object_format: 'sha1' | 'sha256';
  /** full name of the ref that HEAD points to, which may not exist */
  head: string;
  /** raised by every change of refs or HEAD */
  gen: Generated<number>;
  /** number of prunes so far: connectivity checked before the latest one is checked again */
  prune_gen: Generated<number>;
  /** `gen` at the last compaction, which deletes tombstones: a cache of an earlier version reads all refs again */
  compacted_gen: Generated<number>;
  /** name of the staged folder with a fork's objects, until it moves to its final path; otherwise null */
  staged: string | null;
}

/** Written by `git/`. */
export interface GitRefsTable {
  repository_id: number;
  name: string;
  /** null: deleted at `gen`; the row stays as a tombstone for caches */
  oid: string | null;
  /** the object that an annotated tag finally points to; null for all other refs */
  peeled: string | null;
  gen: number;
}

/** Written by `git/`. Deleted repositories whose files the next sweep deletes. */
export interface GitRemovedTable {
  repository_id: number;
  removed_at: number;
}

/** Written by `git/`. Objects of small changes, from their transaction until they are durable as files. */
export interface GitFreshObjectsTable {
  /** grows in the order of the changes of a repository */
  position: Generated<number>;
  repository_id: number;
  oid: string;
  /** content of the loose object file */
  bytes: Uint8Array;
}

export interface GitTables {
  git_fresh_objects: GitFreshObjectsTable;
  git_repositories: GitRepositoriesTable;
  git_refs: GitRefsTable;
  git_removed: GitRemovedTable;
}
