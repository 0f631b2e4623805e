import { Type } from 'typebox';
import { reference } from '../../../../http/shapes.ts';
import { UserSchema } from '../../../../people/accounts/schema.ts';
import { TeamSchema } from '../../../../people/teams/schema.ts';
import { LabelSchema } from '../../../labels/schema.ts';
import { MilestoneSchema } from '../../../milestones/schema.ts';
import { IssueSchema } from '../../schema.ts';
import { CommentSchema } from '../comments/schema.ts';

const Time = Type.String({ format: 'date-time' });
const NullableUser = Type.Union([Type.Null(), reference(UserSchema)]);
const NullableMilestone = Type.Union([Type.Null(), reference(MilestoneSchema)]);
const NullableIssue = Type.Union([Type.Null(), reference(IssueSchema)]);

export const TimelineSchema = Type.Object(
  {
    id: Type.Integer(),
    type: Type.String(),
    html_url: Type.String(),
    pull_request_url: Type.String(),
    issue_url: Type.String(),
    user: reference(UserSchema),
    body: Type.String(),
    created_at: Time,
    updated_at: Time,
    old_project_id: Type.Integer(),
    project_id: Type.Integer(),
    old_milestone: NullableMilestone,
    milestone: NullableMilestone,
    tracked_time: Type.Null(),
    old_title: Type.String(),
    new_title: Type.String(),
    old_ref: Type.String(),
    new_ref: Type.String(),
    ref_issue: NullableIssue,
    ref_comment: Type.Union([Type.Null(), reference(CommentSchema)]),
    ref_action: Type.String(),
    ref_commit_sha: Type.String(),
    review_id: Type.Integer(),
    label: Type.Union([Type.Null(), reference(LabelSchema)]),
    assignee: NullableUser,
    assignee_team: Type.Union([Type.Null(), reference(TeamSchema)]),
    removed_assignee: Type.Boolean(),
    resolve_doer: Type.Null(),
    dependent_issue: NullableIssue,
  },
  { $id: 'TimelineComment' },
);
