import { type Static, Type } from 'typebox';
import { reference } from '../../http/shapes.ts';

const Nullable = {
  id: Type.Union([Type.Integer(), Type.Null()]),
  text: Type.Union([Type.String(), Type.Null()]),
};
const Values = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

const EventSchema = Type.Object(
  {
    id: Type.String({ description: 'names the event, and continues after it as a cursor' }),
    kind: Type.String({ description: 'for example `refs.changed`' }),
    created_at: Type.String({ format: 'date-time' }),
    actor: Type.Object({
      kind: Type.Union([
        Type.Literal('user'),
        Type.Literal('deploy-key'),
        Type.Literal('mirror'),
        Type.Literal('system'),
      ]),
      id: Nullable.id,
      login: Nullable.text,
    }),
    owner: Type.Union([Type.Object({ id: Type.Integer(), login: Type.String() }), Type.Null()]),
    repository: Type.Union([
      Type.Object({ id: Type.Integer(), name: Nullable.text, full_name: Nullable.text }),
      Type.Null(),
    ]),
    data: Values,
    former: Type.Union([Values, Type.Null()]),
  },
  { $id: 'FeedEvent', 'x-quire': true },
);
export type EventRecord = Static<typeof EventSchema>;

export const FeedPageSchema = Type.Object(
  {
    events: Type.Array(reference(EventSchema)),
    cursor: Type.String({ description: 'continues after this page' }),
    has_more: Type.Boolean({ description: 'whether to continue at once' }),
  },
  { $id: 'FeedPage', 'x-quire': true },
);
export type FeedPageRecord = Static<typeof FeedPageSchema>;

export const FeedQuery = {
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer()),
  wait: Type.Optional(Type.Integer()),
};
