import { Type } from 'typebox';
import { reference } from '../../http/shapes.ts';
import { UserSchema } from '../../people/accounts/schema.ts';
import { LabelSchema } from '../labels/schema.ts';
import { MilestoneSchema } from '../milestones/schema.ts';
import { AttachmentSchema } from './attachments/schema.ts';

const Time = Type.String({ format: 'date-time' });
const NullableTime = Type.Union([Time, Type.Null()]);
const State = Type.Union([Type.Literal('open'), Type.Literal('closed')]);

export const RepositoryMetaSchema = Type.Object(
  { id: Type.Integer(), name: Type.String(), owner: Type.String(), full_name: Type.String() },
  { $id: 'RepositoryMeta' },
);

export const PullRequestMetaSchema = Type.Object(
  { merged: Type.Boolean(), merged_at: NullableTime, draft: Type.Boolean(), html_url: Type.String() },
  { $id: 'PullRequestMeta' },
);

export const IssueSchema = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String(),
    html_url: Type.String(),
    number: Type.Integer(),
    user: reference(UserSchema),
    original_author: Type.String(),
    original_author_id: Type.Integer(),
    title: Type.String(),
    body: Type.String(),
    ref: Type.String(),
    assets: Type.Array(reference(AttachmentSchema)),
    labels: Type.Array(reference(LabelSchema)),
    milestone: Type.Union([Type.Null(), reference(MilestoneSchema)]),
    assignee: Type.Union([Type.Null(), reference(UserSchema)]),
    assignees: Type.Union([Type.Null(), Type.Array(reference(UserSchema))]),
    state: State,
    is_locked: Type.Boolean(),
    comments: Type.Integer(),
    created_at: Time,
    updated_at: Time,
    closed_at: NullableTime,
    due_date: NullableTime,
    pull_request: Type.Union([Type.Null(), reference(PullRequestMetaSchema)]),
    repository: reference(RepositoryMetaSchema),
    pin_order: Type.Integer(),
  },
  { $id: 'Issue' },
);

const dueDate = Type.String({
  format: 'date-time',
  description: 'only the day counts; `0001-01-01T00:00:00Z` for no due date',
});
const Names = Type.Array(Type.String());

export const CreateIssueBody = Type.Object(
  {
    title: Type.String(),
    body: Type.Optional(Type.String()),
    ref: Type.Optional(Type.String()),
    assignee: Type.Optional(Type.String({ description: 'use `assignees` instead' })),
    assignees: Type.Optional(Names),
    due_date: Type.Optional(dueDate),
    milestone: Type.Optional(Type.Integer({ description: 'id; 0 for none' })),
    labels: Type.Optional(Type.Array(Type.Integer(), { description: 'ids' })),
    closed: Type.Optional(Type.Boolean()),
  },
  { $id: 'CreateIssueOption' },
);

export const EditIssueBody = Type.Object(
  {
    title: Type.Optional(Type.String()),
    body: Type.Optional(Type.String()),
    ref: Type.Optional(Type.String()),
    assignee: Type.Optional(Type.String({ description: 'use `assignees` instead' })),
    assignees: Type.Optional(Names),
    due_date: Type.Optional(dueDate),
    unset_due_date: Type.Optional(Type.Boolean()),
    milestone: Type.Optional(Type.Integer({ description: 'id; 0 for none' })),
    state: Type.Optional(State),
    updated_at: Type.Optional(Time),
  },
  { $id: 'EditIssueOption' },
);

const Text = Type.Optional(Type.String());

/** Parameters that lists and searches share. */
const FOUND_BY = {
  state: Text,
  q: Text,
  type: Text,
  labels: Text,
  milestones: Text,
  since: Text,
  before: Text,
  sort: Text,
};

export const IssueQuery = {
  ...FOUND_BY,
  created_by: Text,
  assigned_by: Text,
  mentioned_by: Text,
};

const Flag = Type.Optional(Type.Boolean());

export const SearchIssuesQuery = {
  ...FOUND_BY,
  priority_repo_id: Type.Optional(Type.Integer()),
  assigned: Flag,
  created: Flag,
  mentioned: Flag,
  review_requested: Flag,
  reviewed: Flag,
  owner: Text,
  team: Text,
};
