/**
 * The world of a throwaway server. Most names are those of the Gitea API. docs/testing.md describes each one.
 */
export interface Seed {
  /** ISO 8601 with a time zone; each step of the seed takes a second from here: 2026-01-01T00:00:00Z by default */
  readonly made_at?: string;
  /** how the clock of the finished world differs from the real time, as in a request to `/-/test/clock` */
  readonly clock?: { readonly set?: string; readonly advance?: number | string; readonly freeze?: boolean };
  readonly users?: readonly SeedUser[];
  readonly organizations?: readonly SeedOrganization[];
  readonly repositories?: readonly SeedRepository[];
}

export interface SeedUser {
  readonly name: string;
  /** `NAME-password` by default */
  readonly password?: string;
  /** `NAME@example.org` by default */
  readonly email?: string;
  readonly full_name?: string;
  readonly admin?: boolean;
  readonly restricted?: boolean;
  readonly visibility?: 'public' | 'limited' | 'private';
  readonly tokens?: readonly SeedToken[];
  /** public SSH keys, as in an `authorized_keys` file */
  readonly keys?: readonly string[];
}

export interface SeedToken {
  readonly name: string;
  /** `all` by default */
  readonly scopes?: readonly string[];
}

export interface SeedOrganization {
  readonly name: string;
  /** a user of the seed; the administrator by default */
  readonly owner?: string;
  readonly full_name?: string;
  readonly description?: string;
  readonly visibility?: 'public' | 'limited' | 'private';
  readonly labels?: readonly SeedLabel[];
  readonly teams?: readonly SeedTeam[];
}

export interface SeedTeam {
  readonly name: string;
  readonly description?: string;
  /** for all units: `read` by default */
  readonly permission?: 'read' | 'write' | 'admin';
  /** instead of `permission`, by unit: `{ "repo.code": "write" }` */
  readonly units_map?: Readonly<Record<string, string>>;
  readonly can_create_org_repo?: boolean;
  readonly includes_all_repositories?: boolean;
  readonly members?: readonly string[];
  /** names, without the organization */
  readonly repositories?: readonly string[];
}

export interface SeedRepository {
  /** `owner/name` */
  readonly name: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly template?: boolean;
  readonly archived?: boolean;
  readonly default_branch?: string;
  readonly topics?: readonly string[];
  /** by user: what the user may do */
  readonly collaborators?: Readonly<Record<string, 'read' | 'write' | 'admin'>>;
  /** a first commit on the default branch, before `commits` */
  readonly files?: SeedFiles;
  readonly commits?: readonly SeedCommit[];
  /** by name: the branch, tag or commit id from which the branch starts; after the commits */
  readonly branches?: Readonly<Record<string, string>>;
  /** by name: what the tag names, or an annotated tag */
  readonly tags?: Readonly<Record<string, string | { readonly target: string; readonly message: string }>>;
  readonly labels?: readonly SeedLabel[];
  readonly milestones?: readonly SeedMilestone[];
  readonly issues?: readonly SeedIssue[];
  /** numbered after the issues */
  readonly pull_requests?: readonly SeedPullRequest[];
  /** last, so they do not apply to the commits and merges of the seed */
  readonly branch_protections?: readonly SeedProtection[];
}

/** By path: the text, bytes in base64, or null for a file that the commit deletes. */
export type SeedFiles = Readonly<Record<string, string | { readonly base64: string } | null>>;

export interface SeedCommit {
  readonly files: SeedFiles;
  /** the default branch by default */
  readonly branch?: string;
  /** where a new branch starts: the default branch by default */
  readonly from?: string;
  readonly message?: string;
  /** a user of the seed */
  readonly author?: string;
  /** ISO 8601 with a time zone */
  readonly date?: string;
}

export interface SeedLabel {
  readonly name: string;
  /** `#rrggbb` */
  readonly color: string;
  readonly description?: string;
  readonly exclusive?: boolean;
}

export interface SeedMilestone {
  readonly title: string;
  readonly description?: string;
  readonly due_on?: string;
  readonly state?: 'open' | 'closed';
}

interface SeedSubject {
  readonly title: string;
  readonly body?: string;
  /** the owner of the repository by default */
  readonly author?: string;
  /** names of labels of the repository or its organization */
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  /** title of a milestone of the repository */
  readonly milestone?: string;
  readonly due_date?: string;
  readonly comments?: readonly { readonly body: string; readonly author?: string }[];
}

export interface SeedIssue extends SeedSubject {
  readonly state?: 'open' | 'closed';
}

export interface SeedPullRequest extends SeedSubject {
  /** a branch of the repository */
  readonly head: string;
  /** the default branch by default */
  readonly base?: string;
  readonly reviewers?: readonly string[];
  readonly reviews?: readonly SeedReview[];
  readonly state?: 'open' | 'closed' | 'merged';
}

export interface SeedReview {
  readonly author: string;
  readonly event: 'APPROVED' | 'REQUEST_CHANGES' | 'COMMENT';
  readonly body?: string;
}

export interface SeedProtection {
  /** a branch, or a pattern for names of branches */
  readonly rule_name: string;
  /** users who may push, instead of all with write access; empty: no user may */
  readonly push?: readonly string[];
  readonly required_approvals?: number;
  /** statuses that a commit needs before it may be merged */
  readonly status_checks?: readonly string[];
}
