import { Type } from 'typebox';
import { reference } from '../../../../http/shapes.ts';
import { UserSchema } from '../../../../people/accounts/schema.ts';
import { AttachmentSchema } from '../../attachments/schema.ts';

const Time = Type.String({ format: 'date-time' });

export const CommentSchema = Type.Object(
  {
    id: Type.Integer(),
    html_url: Type.String(),
    pull_request_url: Type.String(),
    issue_url: Type.String(),
    user: reference(UserSchema),
    original_author: Type.String(),
    original_author_id: Type.Integer(),
    body: Type.String(),
    assets: Type.Array(reference(AttachmentSchema)),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Comment' },
);

const commentFields = { body: Type.String(), updated_at: Type.Optional(Time) };

export const CreateCommentBody = Type.Object(commentFields, { $id: 'CreateIssueCommentOption' });
export const EditCommentBody = Type.Object(commentFields, { $id: 'EditIssueCommentOption' });

const Text = Type.Optional(Type.String());

export const CommentQuery = { since: Text, before: Text };
