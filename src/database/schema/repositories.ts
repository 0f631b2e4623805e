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
  /** the repository that this one is a fork of; null for a plain one, and where that one is gone */
  parent_id: Generated<number | null>;
  issues: Generated<'off' | 'built-in' | 'external'>;
  wiki: Generated<'off' | 'built-in' | 'external'>;
  has_pulls: Generated<number>;
  has_projects: Generated<number>;
  has_releases: Generated<number>;
  has_packages: Generated<number>;
  has_actions: Generated<number>;
  /** JSON: what differs from the defaults of issues, wiki and pulls; see `repositories/units.ts` */
  unit_settings: Generated<string>;
  stars_count: Generated<number>;
  watchers_count: Generated<number>;
  forks_count: Generated<number>;
  /** somebody has been asked to take it over, as `repository_transfers` says */
  is_in_transfer: Generated<number>;
  /** the one most of its default branch is written in; '' for none */
  language: Generated<string>;
  /** in order of their names, with spaces between; `repository_topics` has the same by topic */
  topics: Generated<string>;
  /** Who sees it and what it is, in one number; see `access/seen.ts`. Kept by the database itself. */
  facets: Generated<number>;
  /** Kept by the database itself. */
  owner_lower_name: Generated<string>;
  /** Where it is not written along with the description, the database puts its ASCII letters into lower case. */
  lower_description: Generated<string>;
  created_at: number;
  updated_at: number;
}

/** Written by `repositories/`. Names that a repository had before; a row goes when another one takes the name. */
export interface RepositoryRedirectsTable {
  owner_id: number;
  lower_name: string;
  repository_id: number;
  created_at: number;
}

/** Written by `transfers/`. Who was asked to take a repository over and has not answered yet. */
export interface RepositoryTransfersTable {
  repository_id: number;
  doer_id: number;
  recipient_id: number;
  created_at: number;
}

/** Written by `transfers/`. Teams of the recipient that get the repository with it. */
export interface RepositoryTransferTeamsTable {
  repository_id: number;
  team_id: number;
}

/** Written by `stars/`. */
export interface StarsTable {
  account_id: number;
  repository_id: number;
  created_at: number;
}

/** Written by `stars/`. Who wants to hear of everything in a repository. */
export interface WatchesTable {
  account_id: number;
  repository_id: number;
  created_at: number;
}

/** Written by `topics/`. */
export interface TopicsTable {
  id: Generated<number>;
  name: string;
  repositories_count: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** Written by `topics/`. */
export interface RepositoryTopicsTable {
  repository_id: number;
  topic_id: number;
}

/** Written by `languages/`. Bytes of text on the default branch, as last measured. */
export interface RepositoryLanguagesTable {
  repository_id: number;
  language: string;
  bytes: number;
}

/** Written by `languages/`. What the rows of a repository's languages were made from. */
export interface LanguageMeasurementsTable {
  repository_id: number;
  /** root of the default branch; null: it had no commit, or more than is measured */
  tree: string | null;
  /** how files were told apart then */
  rules: string;
}

/** Written by `repositories/`. What a new repository was given to sort its issues by. */
export interface LabelsTable {
  id: Generated<number>;
  repository_id: number;
  name: string;
  /** six hex digits */
  color: string;
  description: string;
  /** of those whose names begin alike up to the last `/`, an issue has one at most */
  is_exclusive: Generated<number>;
  created_at: number;
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

/**
 * Written by `database/` itself, on SQLite alone: raised with every change of what repositories are found by.
 */
export interface SearchVersionsTable {
  version: number;
}

export interface RepositoryTables {
  search_versions: SearchVersionsTable;
  repositories: RepositoriesTable;
  repository_intents: RepositoryIntentsTable;
  collaborations: CollaborationsTable;
  repository_redirects: RepositoryRedirectsTable;
  repository_transfers: RepositoryTransfersTable;
  repository_transfer_teams: RepositoryTransferTeamsTable;
  stars: StarsTable;
  watches: WatchesTable;
  topics: TopicsTable;
  repository_topics: RepositoryTopicsTable;
  repository_languages: RepositoryLanguagesTable;
  language_measurements: LanguageMeasurementsTable;
  labels: LabelsTable;
}
