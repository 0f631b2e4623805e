import { Type } from 'typebox';
import { withNulls } from '../../../../http/bodies/input.ts';

const NullableTime = Type.Union([Type.Null(), Type.String({ format: 'date-time' })]);

export const LockIssueBody = Type.Object(
  { lock_reason: Type.Optional(Type.String({ description: 'for the timeline' })) },
  { $id: 'LockIssueOption' },
);

/** A null removes the due date. */
export const EditDeadlineBody = withNulls(
  Type.Object({ due_date: NullableTime }, { $id: 'EditDeadlineOption' }),
);

export const IssueDeadlineSchema = Type.Object({ due_date: NullableTime }, { $id: 'IssueDeadline' });

export const NewPinsAllowedSchema = Type.Object(
  { issues: Type.Boolean(), pull_requests: Type.Boolean() },
  { $id: 'NewIssuePinsAllowed' },
);
