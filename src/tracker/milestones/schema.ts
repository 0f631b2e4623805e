import { Type } from 'typebox';

const Time = Type.String({ format: 'date-time' });
const Nullable = Type.Union([Time, Type.Null()]);
const state = Type.Union([Type.Literal('open'), Type.Literal('closed')]);

export const MilestoneSchema = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    description: Type.String(),
    state,
    open_issues: Type.Integer(),
    closed_issues: Type.Integer(),
    created_at: Time,
    updated_at: Nullable,
    closed_at: Nullable,
    due_on: Nullable,
  },
  { $id: 'Milestone' },
);

const options = {
  description: Type.Optional(Type.String()),
  due_on: Type.Optional(
    Type.String({ format: 'date-time', description: '`0001-01-01T00:00:00Z` for no due date' }),
  ),
  // Clients send an empty text for none.
  state: Type.Optional(Type.Union([state, Type.Literal('')])),
};

export const CreateMilestoneBody = Type.Object(
  { title: Type.String(), ...options },
  { $id: 'CreateMilestoneOption' },
);

export const EditMilestoneBody = Type.Object(
  { title: Type.Optional(Type.String()), ...options },
  { $id: 'EditMilestoneOption' },
);

export const MilestoneQuery = {
  state: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
};
