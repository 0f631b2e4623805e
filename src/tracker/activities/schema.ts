import { Type } from 'typebox';
import { RepositorySchema } from '../../hosting/repositories/schema.ts';
import { Nullable, reference } from '../../http/shapes.ts';
import { UserSchema } from '../../people/accounts/schema.ts';
import { CommentSchema } from '../issues/discussion/comments/schema.ts';
import { OP_TYPES, type OpType } from './model.ts';

export const ActivitySchema = Type.Object(
  {
    id: Type.Integer(),
    user_id: Type.Integer({ description: 'id of the account whose feed has the activity' }),
    op_type: Type.Unsafe<OpType>({ type: 'string', enum: [...OP_TYPES] }),
    act_user_id: Type.Integer(),
    act_user: Nullable(reference(UserSchema)),
    repo_id: Type.Integer(),
    repo: Nullable(reference(RepositorySchema)),
    comment_id: Type.Integer({ description: '0 without a comment' }),
    comment: Nullable(reference(CommentSchema)),
    ref_name: Type.String({ description: 'full name of a branch or tag, such as `refs/heads/main`' }),
    is_private: Type.Boolean(),
    content: Type.String({
      description:
        'of a push, JSON with `Commits`, `HeadCommit`, `CompareURL` and `Len`; of an issue or pull request, `INDEX|TEXT`',
    }),
    created: Type.String({ format: 'date-time' }),
  },
  { $id: 'Activity' },
);

export const HeatmapSchema = Type.Object(
  {
    timestamp: Type.Integer({ description: 'beginning of a quarter of an hour, seconds since 1970' }),
    contributions: Type.Integer(),
  },
  { $id: 'UserHeatmapData' },
);

export const DayQuery = { date: Type.Optional(Type.String({ format: 'date' })) };
export const UserFeedQuery = { ...DayQuery, 'only-performed-by': Type.Optional(Type.Boolean()) };
