import type { Generated } from 'kysely';

/** Written by `git/`. The truth about refs; a bare repository on disk mirrors it. */
export interface GitRepositoriesTable {
  /** the repository's id: never used again, also names its folder */
  id: number;
  object_format: 'sha1' | 'sha256';
  /** full name of the ref that HEAD points to, whether it exists or not */
  head: string;
  /** raised by every change of refs or HEAD */
  gen: Generated<number>;
  /** the `gen` at which objects were last pruned: connectivity checked before that is checked again */
  prune_gen: Generated<number>;
  /** the staged folder a fork's objects were linked into, until it is moved into place; else null */
  staged: string | null;
}

/** Written by `git/`. */
export interface GitRefsTable {
  repository_id: number;
  name: string;
  /** null: deleted at `gen`, kept as a tombstone so that caches learn of it */
  oid: string | null;
  /** what an annotated tag finally points to; null for everything else */
  peeled: string | null;
  gen: number;
}

/** Written by `git/`. Repositories whose rows are gone and whose bytes wait for the sweep. */
export interface GitRemovedTable {
  repository_id: number;
  removed_at: number;
}

export interface GitTables {
  git_repositories: GitRepositoriesTable;
  git_refs: GitRefsTable;
  git_removed: GitRemovedTable;
}
