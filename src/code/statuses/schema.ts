import { Type } from 'typebox';
import { RepositorySchema } from '../../hosting/repositories/schema.ts';
import { reference } from '../../http/shapes.ts';
import { UserSchema } from '../../people/accounts/schema.ts';

const STATE = Type.String({
  description: '`pending`, `success`, `error`, `failure`, `warning` or `skipped`',
});

export const CreateStatusBody = Type.Object(
  {
    state: STATE,
    context: Type.Optional(Type.String({ description: 'names the check; `default` if absent' })),
    description: Type.Optional(Type.String()),
    target_url: Type.Optional(Type.String({ description: 'http(s) address with details' })),
  },
  { $id: 'CreateStatusOption' },
);

export const StatusSchema = Type.Object(
  {
    id: Type.Integer({ description: 'number of the status, from 1 for each commit' }),
    status: STATE,
    target_url: Type.String(),
    description: Type.String(),
    url: Type.String(),
    context: Type.String(),
    creator: Type.Union([reference(UserSchema), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'CommitStatus' },
);

export const CombinedStatusSchema = Type.Object(
  {
    state: Type.String({
      description: "`failure`, `pending` or `success`, by the latest statuses; '' without a status",
    }),
    sha: Type.String(),
    total_count: Type.Integer(),
    statuses: Type.Array(reference(StatusSchema)),
    repository: reference(RepositorySchema),
    commit_url: Type.String(),
    url: Type.String(),
  },
  { $id: 'CombinedStatus' },
);

export const StatusQuery = {
  sort: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
};
