import type { Generated } from 'kysely';

/** Written by `repositories/`. Its default branch and object format are in `git_repositories`, by the same id. */
export interface RepositoriesTable {
  /** given by `repository_intents` */
  id: number;
  owner_id: number;
  name: string;
  lower_name: string;
  description: Generated<string>;
  website: Generated<string>;
  is_private: number;
  is_template: Generated<number>;
  is_mirror: Generated<number>;
  /** no branch has a commit yet */
  is_empty: Generated<number>;
  archived_at: number | null;
  trust_model: Generated<string>;
  size_bytes: Generated<number>;
  created_at: number;
  updated_at: number;
}

/**
 * Written by `repositories/`. One row for each repository that is being made: it gives the id, and it goes in the
 * transaction in which the repository appears. What is left of a crash in between is found by it.
 */
export interface RepositoryIntentsTable {
  id: Generated<number>;
  created_at: number;
}

/** Written by `repositories/`. Users who were given a level on one repository. */
export interface CollaborationsTable {
  repository_id: number;
  account_id: number;
  level: 'read' | 'write' | 'admin';
  created_at: number;
}

export interface RepositoryTables {
  repositories: RepositoriesTable;
  repository_intents: RepositoryIntentsTable;
  collaborations: CollaborationsTable;
}
