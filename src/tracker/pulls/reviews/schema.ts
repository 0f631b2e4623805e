import { Type } from 'typebox';
import { Nullable, reference } from '../../../http/shapes.ts';
import { UserSchema } from '../../../people/accounts/schema.ts';
import { TeamSchema } from '../../../people/teams/schema.ts';

const Time = Type.String({ format: 'date-time' });

export const ReviewSchema = Type.Object(
  {
    id: Type.Integer(),
    user: Nullable(reference(UserSchema)),
    team: Nullable(reference(TeamSchema)),
    state: Type.Union([
      Type.Literal('PENDING'),
      Type.Literal('APPROVED'),
      Type.Literal('REQUEST_CHANGES'),
      Type.Literal('COMMENT'),
      Type.Literal('REQUEST_REVIEW'),
    ]),
    body: Type.String(),
    commit_id: Type.String(),
    stale: Type.Boolean({ description: 'another commit is the head now' }),
    official: Type.Boolean({
      description:
        'whether the reviewer could approve by the protection of the base when it was submitted, and has not decided again since; a merge counts by the protection at the time of the merge',
    }),
    dismissed: Type.Boolean(),
    comments_count: Type.Integer({ description: 'comments on lines' }),
    submitted_at: Time,
    updated_at: Time,
    html_url: Type.String(),
    pull_request_url: Type.String(),
  },
  { $id: 'PullReview' },
);

export const ReviewCommentSchema = Type.Object(
  {
    id: Type.Integer(),
    body: Type.String(),
    user: reference(UserSchema),
    resolver: Nullable(reference(UserSchema)),
    pull_request_review_id: Type.Integer(),
    created_at: Time,
    updated_at: Time,
    path: Type.String(),
    commit_id: Type.String({ description: 'the head to which `path` and `position` belong' }),
    original_commit_id: Type.String(),
    diff_hunk: Type.String({ description: 'ends with the lines of the comment' }),
    position: Type.Integer({
      description:
        'first line of the new file; 0 on a line of the old file, and if a push has removed the line',
    }),
    original_position: Type.Integer({ description: 'the line for which the comment was written' }),
    extra_lines_count: Type.Integer({ description: 'lines after the first one' }),
    html_url: Type.String(),
    pull_request_url: Type.String(),
  },
  { $id: 'PullReviewComment' },
);

const Text = Type.Optional(Type.String());

const commentFields = {
  path: Text,
  body: Text,
  old_position: Type.Optional(Type.Integer({ description: 'line of the old file' })),
  new_position: Type.Optional(Type.Integer({ description: 'line of the new file' })),
  extra_lines_count: Type.Optional(Type.Integer({ description: 'lines after the first one' })),
};

export const CreateReviewBody = Type.Object(
  {
    event: Type.Optional(
      Type.String({ description: 'APPROVED, REQUEST_CHANGES or COMMENT; PENDING to submit it later' }),
    ),
    body: Text,
    commit_id: Type.Optional(Type.String({ description: 'by default, the head' })),
    comments: Type.Optional(Type.Array(Type.Object(commentFields))),
  },
  { $id: 'CreatePullReviewOptions' },
);

export const SubmitReviewBody = Type.Object({ event: Text, body: Text }, { $id: 'SubmitPullReviewOptions' });

export const CreateReviewCommentBody = Type.Object(commentFields, { $id: 'CreatePullReviewCommentOptions' });
export const ReplyBody = Type.Object({ body: Type.String() }, { $id: 'CreatePullReviewCommentReplyOptions' });

export const DismissReviewBody = Type.Object(
  {
    message: Text,
    priors: Type.Optional(Type.Boolean({ description: 'also dismiss earlier reviews of the same reviewer' })),
  },
  { $id: 'DismissPullReviewOptions' },
);

const Names = Type.Optional(Type.Array(Type.String()));

export const ReviewRequestsBody = Type.Object(
  { reviewers: Names, team_reviewers: Names },
  { $id: 'PullReviewRequestOptions' },
);
