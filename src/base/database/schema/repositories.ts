import type { Generated } from 'kysely';

/** Written by `repositories/`. `git_repositories` has the default branch and object format under the same id. */
export interface RepositoriesTable {
  /** assigned by `repository_intents` */
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
  /** of its git objects, its large files and its wiki, as last measured */
  size_bytes: Generated<number>;
  /** id of the git repository of its wiki, assigned by `repository_intents`; null: the wiki has no page yet */
  wiki_id: Generated<number | null>;
  /** the part of `size_bytes` that the wiki has */
  wiki_bytes: Generated<number>;
  /** of its git objects: as last measured, and what pushes have brought since */
  git_bytes: Generated<number>;
  /** the parent of a fork; null without a parent and after its deletion */
  parent_id: Generated<number | null>;
  issues: Generated<'off' | 'built-in' | 'external'>;
  wiki: Generated<'off' | 'built-in' | 'external'>;
  has_pulls: Generated<number>;
  has_projects: Generated<number>;
  has_releases: Generated<number>;
  has_packages: Generated<number>;
  has_actions: Generated<number>;
  /** JSON: differences from the default settings of issues, wiki and pulls; see `hosting/repositories/units.ts` */
  unit_settings: Generated<string>;
  stars_count: Generated<number>;
  watchers_count: Generated<number>;
  forks_count: Generated<number>;
  /** number of the newest issue or pull request, also if it was deleted; 0: none yet */
  last_issue_number: Generated<number>;
  /** without pull requests */
  open_issues_count: Generated<number>;
  closed_issues_count: Generated<number>;
  open_pulls_count: Generated<number>;
  closed_pulls_count: Generated<number>;
  /** without drafts */
  releases_count: Generated<number>;
  /** of its issues and pull requests */
  comments_count: Generated<number>;
  /** `repository_transfers` has a pending transfer */
  is_in_transfer: Generated<number>;
  /** the main language of the default branch; '' for none */
  language: Generated<string>;
  /** sorted by name and separated by spaces; `repository_topics` has the same by topic */
  topics: Generated<string>;
  /** name of the uploaded picture; '' without one */
  avatar: Generated<string>;
  /** visibility and kind in one number; see `api/access/store/facets.ts`. Triggers maintain it. */
  facets: Generated<number>;
  /** maintained by triggers */
  owner_lower_name: Generated<string>;
  /** If a statement writes only the description, a trigger sets this with ASCII letters in lower case. */
  lower_description: Generated<string>;
  /** from which it was copied, without credentials; '' if it began here */
  original_url: Generated<string>;
  /** of a mirror; 0: it is updated only on request */
  mirror_interval_ms: Generated<number>;
  /** when a mirror last agreed with its source */
  mirror_updated_at: Generated<number | null>;
  /** why the last update of a mirror failed; '' after a success */
  mirror_error: Generated<string>;
  created_at: number;
  updated_at: number;
}

/** Written by `repositories/`. Former names of repositories. A row is deleted when another repository takes the name. */
export interface RepositoryRedirectsTable {
  owner_id: number;
  lower_name: string;
  repository_id: number;
  created_at: number;
}

/** Written by `transfers/`. Pending transfers of repositories. */
export interface RepositoryTransfersTable {
  repository_id: number;
  doer_id: number;
  recipient_id: number;
  /** An owner of the organization that has the repository must agree before the recipient can accept. */
  waits_for_owner: Generated<number>;
  created_at: number;
}

/** Written by `transfers/`. Teams of the recipient that get access with the transfer. */
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

/** Written by `stars/`. Accounts that get all notifications of a repository. */
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

/** Written by `flags/`. Names that site administrators give to repositories. */
export interface RepositoryFlagsTable {
  repository_id: number;
  name: string;
  created_at: number;
}

/** Written by `languages/`. Bytes of text on the default branch, as last measured. */
export interface RepositoryLanguagesTable {
  repository_id: number;
  language: string;
  bytes: number;
}

/** Written by `languages/`. The input of the latest language measurement of a repository. */
export interface LanguageMeasurementsTable {
  repository_id: number;
  /** root tree of the default branch; null: no commit, or too large to measure */
  tree: string | null;
  /** version of the detection rules */
  rules: string;
}

/**
 * Written by `repositories/`. One row for each pending repository. It assigns the id, and the transaction that publishes
 * the repository deletes it. A row that stays after a crash leads to the remains of the creation.
 */
export interface RepositoryIntentsTable {
  id: Generated<number>;
  created_at: number;
}

/** Written by `repositories/`. Collaborators and their levels. */
export interface CollaborationsTable {
  repository_id: number;
  account_id: number;
  level: 'read' | 'write' | 'admin';
  created_at: number;
}

/**
 * Written by `database/` itself, only on SQLite: triggers raise the version with every change of what a repository
 * search reads.
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
  repository_flags: RepositoryFlagsTable;
  topics: TopicsTable;
  repository_topics: RepositoryTopicsTable;
  repository_languages: RepositoryLanguagesTable;
  language_measurements: LanguageMeasurementsTable;
}
