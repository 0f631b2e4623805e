import { Type } from 'typebox';
import { RepositorySchema } from '../../hosting/repositories/schema.ts';
import { reference } from '../../http/shapes.ts';

const SubjectSchema = Type.Object(
  {
    title: Type.String(),
    url: Type.String(),
    html_url: Type.String(),
    latest_comment_url: Type.String({
      description: 'of the last comment or the last review with a text; empty if there is none',
    }),
    latest_comment_html_url: Type.String(),
    type: Type.Union([Type.Literal('Issue'), Type.Literal('Pull')]),
    state: Type.Union([Type.Literal('open'), Type.Literal('closed'), Type.Literal('merged')]),
  },
  { $id: 'NotificationSubject' },
);

export const ThreadSchema = Type.Object(
  {
    id: Type.Integer(),
    repository: reference(RepositorySchema),
    subject: reference(SubjectSchema),
    unread: Type.Boolean(),
    pinned: Type.Boolean(),
    updated_at: Type.String({ format: 'date-time' }),
    url: Type.String(),
  },
  { $id: 'NotificationThread' },
);

export const CountSchema = Type.Object({ new: Type.Integer() }, { $id: 'NotificationCount' });

const Text = Type.Optional(Type.String());
const Words = Type.Optional(Type.Array(Type.String()));

export const ThreadQuery = {
  all: Type.Optional(Type.Boolean()),
  'status-types': Words,
  'subject-type': Words,
  since: Text,
  before: Text,
};

export const ToStatusQuery = { 'to-status': Text };

export const MarkQuery = {
  ...ToStatusQuery,
  all: Type.Optional(Type.Boolean()),
  'status-types': Words,
  last_read_at: Text,
};
