import { Type } from 'typebox';
import { RepositorySchema } from '../../hosting/repositories/schema.ts';
import { reference } from '../../http/shapes.ts';
import { UserSchema } from '../../people/accounts/schema.ts';
import { TeamSchema } from '../../people/teams/schema.ts';
import { LabelSchema } from '../labels/schema.ts';
import { MilestoneSchema } from '../milestones/schema.ts';

const Time = Type.String({ format: 'date-time' });
const NullableTime = Type.Union([Time, Type.Null()]);
const NullableText = Type.Union([Type.String(), Type.Null()]);
const NullableUser = Type.Union([Type.Null(), reference(UserSchema)]);

export const PRBranchInfoSchema = Type.Object(
  {
    label: Type.String({ description: 'name of the branch' }),
    ref: Type.String({ description: 'name of the branch, or `refs/pull/N/head` if the branch is gone' }),
    sha: Type.String(),
    repo_id: Type.Integer({ description: '-1 without a repository' }),
    repo: Type.Union([Type.Null(), reference(RepositorySchema)]),
  },
  { $id: 'PRBranchInfo' },
);

export const PullSchema = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String(),
    html_url: Type.String(),
    diff_url: Type.String(),
    patch_url: Type.String(),
    number: Type.Integer(),
    user: reference(UserSchema),
    title: Type.String(),
    body: Type.String(),
    labels: Type.Array(reference(LabelSchema)),
    milestone: Type.Union([Type.Null(), reference(MilestoneSchema)]),
    assignee: NullableUser,
    assignees: Type.Union([Type.Null(), Type.Array(reference(UserSchema))]),
    requested_reviewers: Type.Array(reference(UserSchema)),
    requested_reviewers_teams: Type.Array(reference(TeamSchema)),
    state: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
    draft: Type.Boolean(),
    is_locked: Type.Boolean(),
    comments: Type.Integer(),
    review_comments: Type.Integer({ description: 'comments on lines' }),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    changed_files: Type.Integer(),
    mergeable: Type.Boolean({ description: 'false also while a check runs, and for drafts' }),
    merged: Type.Boolean(),
    merged_at: NullableTime,
    merged_by: NullableUser,
    merge_commit_sha: NullableText,
    merge_base: Type.String({ description: 'commit from which the differences start' }),
    allow_maintainer_edit: Type.Boolean(),
    base: reference(PRBranchInfoSchema),
    head: reference(PRBranchInfoSchema),
    due_date: NullableTime,
    created_at: Time,
    updated_at: Time,
    closed_at: NullableTime,
    pin_order: Type.Integer(),
    flow: Type.Integer({ description: '0: from a branch, 1: by a push to `refs/for/`' }),
  },
  { $id: 'PullRequest' },
);

const Text = Type.Optional(Type.String());
const Names = Type.Optional(Type.Array(Type.String()));
const dueDate = Type.Optional(
  Type.String({
    format: 'date-time',
    description: 'only the day counts; `0001-01-01T00:00:00Z` for no due date',
  }),
);

const Fields = {
  body: Text,
  assignee: Type.Optional(Type.String({ description: 'use `assignees` instead' })),
  assignees: Names,
  labels: Type.Optional(Type.Array(Type.Integer(), { description: 'ids' })),
  milestone: Type.Optional(Type.Integer({ description: 'id; 0 for none' })),
  due_date: dueDate,
};

export const CreatePullBody = Type.Object(
  {
    title: Type.String(),
    base: Type.String({ description: 'branch' }),
    head: Type.String({ description: '`branch`, `owner:branch` or `owner/repository:branch`' }),
    ...Fields,
  },
  { $id: 'CreatePullRequestOption' },
);

export const EditPullBody = Type.Object(
  {
    title: Text,
    base: Type.Optional(Type.String({ description: 'branch' })),
    state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('closed')])),
    unset_due_date: Type.Optional(Type.Boolean()),
    allow_maintainer_edit: Type.Optional(Type.Boolean()),
    ...Fields,
  },
  { $id: 'EditPullRequestOption' },
);

export const PullQuery = {
  state: Text,
  sort: Text,
  milestone: Type.Optional(Type.Integer()),
  labels: Type.Optional(Type.Array(Type.String(), { description: 'ids' })),
  poster: Text,
  base: Text,
  head: Text,
};
