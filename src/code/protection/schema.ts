import { Type } from 'typebox';

const Time = Type.String({ format: 'date-time' });
const STORED = { description: 'stored; has no effect on pushes yet' };
const GLOBS = 'globs with semicolons between them';

/** Fields that a request sets and an answer shows. */
const branchFields = {
  enable_push: Type.Boolean(),
  enable_push_whitelist: Type.Boolean(),
  push_whitelist_usernames: Type.Array(Type.String()),
  push_whitelist_teams: Type.Array(Type.String()),
  push_whitelist_deploy_keys: Type.Boolean({ description: 'whether deploy keys that may write may push' }),
  enable_force_push: Type.Boolean({
    description: 'whether those who may push may also replace commits; without it, no caller may',
  }),
  enable_force_push_allowlist: Type.Boolean({ description: 'only those in the two lists may do so' }),
  force_push_allowlist_usernames: Type.Array(Type.String()),
  force_push_allowlist_teams: Type.Array(Type.String()),
  force_push_allowlist_deploy_keys: Type.Boolean({
    description: 'whether deploy keys that may write may replace commits',
  }),
  enable_merge_whitelist: Type.Boolean(STORED),
  merge_whitelist_usernames: Type.Array(Type.String(), STORED),
  merge_whitelist_teams: Type.Array(Type.String(), STORED),
  enable_status_check: Type.Boolean(STORED),
  status_check_contexts: Type.Array(Type.String(), STORED),
  required_approvals: Type.Integer(STORED),
  enable_approvals_whitelist: Type.Boolean(STORED),
  approvals_whitelist_username: Type.Array(Type.String(), STORED),
  approvals_whitelist_teams: Type.Array(Type.String(), STORED),
  block_on_rejected_reviews: Type.Boolean(STORED),
  block_on_official_review_requests: Type.Boolean(STORED),
  block_on_outdated_branch: Type.Boolean(STORED),
  dismiss_stale_approvals: Type.Boolean(STORED),
  ignore_stale_approvals: Type.Boolean(STORED),
  require_signed_commits: Type.Boolean({
    description: 'true: the branch takes only commits that keys of their committers have signed',
  }),
  protected_file_patterns: Type.String({ description: GLOBS }),
  unprotected_file_patterns: Type.String({ description: GLOBS }),
  apply_to_admins: Type.Boolean({ description: 'stored; protections always apply to administrators' }),
};

export const BranchProtectionSchema = Type.Object(
  {
    branch_name: Type.String({ description: "the name of a single branch; '' for a glob" }),
    rule_name: Type.String({ description: 'name of a branch, or a glob' }),
    ...branchFields,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'BranchProtection' },
);

const branchOptions = Type.Partial(Type.Object(branchFields)).properties;

export const CreateBranchProtectionBody = Type.Object(
  {
    branch_name: Type.Optional(Type.String({ description: 'deprecated: use `rule_name`' })),
    rule_name: Type.Optional(Type.String({ description: 'name of a branch, or a glob' })),
    ...branchOptions,
  },
  { $id: 'CreateBranchProtectionOption', 'x-required': true },
);

export const EditBranchProtectionBody = Type.Object(branchOptions, { $id: 'EditBranchProtectionOption' });

export const TagProtectionSchema = Type.Object(
  {
    id: Type.Integer(),
    name_pattern: Type.String(),
    whitelist_usernames: Type.Array(Type.String()),
    whitelist_teams: Type.Array(Type.String()),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'TagProtection' },
);

const namePattern = Type.String({ description: 'name of a tag, or a glob' });
const tagLists = {
  whitelist_usernames: Type.Optional(Type.Array(Type.String())),
  whitelist_teams: Type.Optional(Type.Array(Type.String())),
};

export const CreateTagProtectionBody = Type.Object(
  { name_pattern: namePattern, ...tagLists },
  { $id: 'CreateTagProtectionOption' },
);
export const EditTagProtectionBody = Type.Object(
  { name_pattern: Type.Optional(namePattern), ...tagLists },
  { $id: 'EditTagProtectionOption' },
);
