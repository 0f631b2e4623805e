import { Type } from 'typebox';

const Time = Type.String({ format: 'date-time' });

export const IssueLabelsBody = Type.Object(
  {
    labels: Type.Array(Type.Union([Type.Integer(), Type.String()]), { description: 'ids or names' }),
    updated_at: Type.Optional(Time),
  },
  { $id: 'IssueLabelsOption' },
);

export const DeleteLabelsBody = Type.Object(
  { updated_at: Type.Optional(Time) },
  { $id: 'DeleteLabelsOption' },
);
