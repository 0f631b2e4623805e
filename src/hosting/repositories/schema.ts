import { type Static, Type } from 'typebox';
import { reference } from '../../http/shapes.ts';
import { UserSchema } from '../../people/accounts/schema.ts';
import { TeamSchema } from '../../people/teams/schema.ts';
import { REPOSITORY_LIMITS } from './limits.ts';

const Time = Type.String({ format: 'date-time' });

export const OwnRepositoriesQuery = { order_by: Type.Optional(Type.String()) };

export const CreateRepositoryBody = Type.Object(
  {
    name: Type.String(),
    description: Type.Optional(Type.String({ maxLength: REPOSITORY_LIMITS.descriptionCharsMax })),
    private: Type.Optional(Type.Boolean()),
    template: Type.Optional(Type.Boolean()),
    auto_init: Type.Optional(Type.Boolean()),
    readme: Type.Optional(Type.String()),
    gitignores: Type.Optional(Type.String()),
    license: Type.Optional(Type.String()),
    issue_labels: Type.Optional(Type.String()),
    default_branch: Type.Optional(Type.String()),
    object_format_name: Type.Optional(Type.String()),
    trust_model: Type.Optional(Type.String()),
  },
  { $id: 'CreateRepoOption' },
);

const Flag = Type.Optional(Type.Boolean());
const Text = Type.Optional(Type.String());

const EditInternalTracker = Type.Object({
  enable_time_tracker: Flag,
  allow_only_contributors_to_track_time: Flag,
  enable_issue_dependencies: Flag,
});

const EditExternalTracker = Type.Object({
  external_tracker_url: Text,
  external_tracker_format: Text,
  external_tracker_style: Text,
  external_tracker_regexp_pattern: Type.Optional(
    Type.String({ maxLength: REPOSITORY_LIMITS.trackerPatternCharsMax }),
  ),
});

export const EditRepositoryBody = Type.Object(
  {
    name: Text,
    description: Type.Optional(Type.String({ maxLength: REPOSITORY_LIMITS.descriptionCharsMax })),
    website: Type.Optional(Type.String({ maxLength: REPOSITORY_LIMITS.websiteCharsMax })),
    private: Flag,
    template: Flag,
    default_branch: Text,
    archived: Flag,
    has_issues: Flag,
    internal_tracker: Type.Optional(EditInternalTracker),
    external_tracker: Type.Optional(EditExternalTracker),
    has_wiki: Flag,
    external_wiki: Type.Optional(Type.Object({ external_wiki_url: Text })),
    wiki_branch: Text,
    globally_editable_wiki: Flag,
    has_pull_requests: Flag,
    ignore_whitespace_conflicts: Flag,
    allow_merge_commits: Flag,
    allow_rebase: Flag,
    allow_rebase_explicit: Flag,
    allow_squash_merge: Flag,
    allow_fast_forward_only_merge: Flag,
    allow_manual_merge: Flag,
    autodetect_manual_merge: Flag,
    allow_rebase_update: Flag,
    default_delete_branch_after_merge: Flag,
    default_merge_style: Text,
    default_update_style: Text,
    default_allow_maintainer_edit: Flag,
    has_projects: Flag,
    has_releases: Flag,
    has_packages: Flag,
    has_actions: Flag,
    mirror_interval: Text,
    enable_prune: Flag,
  },
  { $id: 'EditRepoOption' },
);

export const PermissionSchema = Type.Object(
  { admin: Type.Boolean(), push: Type.Boolean(), pull: Type.Boolean() },
  { $id: 'Permission' },
);

export const InternalTrackerSchema = Type.Object(
  {
    enable_time_tracker: Type.Boolean(),
    allow_only_contributors_to_track_time: Type.Boolean(),
    enable_issue_dependencies: Type.Boolean(),
  },
  { $id: 'InternalTracker' },
);

export const ExternalTrackerSchema = Type.Object(
  {
    external_tracker_url: Type.String(),
    external_tracker_format: Type.String(),
    external_tracker_style: Type.String(),
    external_tracker_regexp_pattern: Type.String(),
  },
  { $id: 'ExternalTracker' },
);

export const ExternalWikiSchema = Type.Object({ external_wiki_url: Type.String() }, { $id: 'ExternalWiki' });

export const RepoTransferSchema = Type.Object(
  {
    doer: reference(UserSchema),
    recipient: reference(UserSchema),
    teams: Type.Array(reference(TeamSchema)),
  },
  { $id: 'RepoTransfer' },
);

/** The record of a fork contains the record of its parent. */
const ItselfSchema = Type.Unsafe<object>({ $ref: 'Repository#' });

export const RepositorySchema = Type.Object(
  {
    id: Type.Integer(),
    owner: reference(UserSchema),
    name: Type.String(),
    full_name: Type.String(),
    description: Type.String(),
    empty: Type.Boolean(),
    private: Type.Boolean(),
    fork: Type.Boolean(),
    template: Type.Boolean(),
    parent: Type.Union([Type.Null(), ItselfSchema]),
    mirror: Type.Boolean(),
    size: Type.Integer(),
    language: Type.String(),
    languages_url: Type.String(),
    html_url: Type.String(),
    url: Type.String(),
    link: Type.String(),
    ssh_url: Type.String(),
    clone_url: Type.String(),
    original_url: Type.String(),
    website: Type.String(),
    stars_count: Type.Integer(),
    forks_count: Type.Integer(),
    watchers_count: Type.Integer(),
    open_issues_count: Type.Integer(),
    open_pr_counter: Type.Integer(),
    release_counter: Type.Integer(),
    default_branch: Type.String(),
    archived: Type.Boolean(),
    created_at: Time,
    updated_at: Time,
    archived_at: Time,
    permissions: reference(PermissionSchema),
    has_issues: Type.Boolean(),
    internal_tracker: Type.Optional(reference(InternalTrackerSchema)),
    external_tracker: Type.Optional(reference(ExternalTrackerSchema)),
    has_wiki: Type.Boolean(),
    external_wiki: Type.Optional(reference(ExternalWikiSchema)),
    has_wiki_contents: Type.Boolean(),
    wiki_branch: Type.String(),
    wiki_clone_url: Type.String(),
    wiki_ssh_url: Type.String(),
    globally_editable_wiki: Type.Boolean(),
    has_pull_requests: Type.Boolean(),
    has_projects: Type.Boolean(),
    has_releases: Type.Boolean(),
    has_packages: Type.Boolean(),
    has_actions: Type.Boolean(),
    ignore_whitespace_conflicts: Type.Boolean(),
    allow_merge_commits: Type.Boolean(),
    allow_rebase: Type.Boolean(),
    allow_rebase_explicit: Type.Boolean(),
    allow_squash_merge: Type.Boolean(),
    allow_fast_forward_only_merge: Type.Boolean(),
    allow_rebase_update: Type.Boolean(),
    default_delete_branch_after_merge: Type.Boolean(),
    default_merge_style: Type.String(),
    default_update_style: Type.String(),
    default_allow_maintainer_edit: Type.Boolean(),
    avatar_url: Type.String(),
    internal: Type.Boolean(),
    mirror_interval: Type.String(),
    object_format_name: Type.Union([Type.Literal('sha1'), Type.Literal('sha256')]),
    mirror_updated: Time,
    /** for those who may push; only if the last update of the mirror failed */
    mirror_error: Type.Optional(Type.String()),
    repo_transfer: Type.Union([Type.Null(), reference(RepoTransferSchema)]),
    topics: Type.Array(Type.String()),
  },
  { $id: 'Repository' },
);
export type RepositoryRecord = Static<typeof RepositorySchema>;

export const AddCollaboratorBody = Type.Object(
  { permission: Type.Optional(Type.String()) },
  { $id: 'AddCollaboratorOption' },
);

export const CollaboratorPermissionSchema = Type.Object(
  { permission: Type.String(), role_name: Type.String(), user: reference(UserSchema) },
  { $id: 'RepoCollaboratorPermission' },
);
