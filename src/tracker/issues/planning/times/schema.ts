import { Type } from 'typebox';
import { reference } from '../../../../http/shapes.ts';
import { IssueSchema } from '../../schema.ts';

const Time = Type.String({ format: 'date-time' });

export const TrackedTimeSchema = Type.Object(
  {
    id: Type.Integer(),
    created: Time,
    time: Type.Integer({ description: 'seconds' }),
    user_id: Type.Integer(),
    user_name: Type.String(),
    issue_id: Type.Integer(),
    issue: reference(IssueSchema),
  },
  { $id: 'TrackedTime' },
);

export const StopWatchSchema = Type.Object(
  {
    created: Time,
    seconds: Type.Integer(),
    duration: Type.String(),
    issue_index: Type.Integer(),
    issue_title: Type.String(),
    repo_owner_name: Type.String(),
    repo_name: Type.String(),
  },
  { $id: 'StopWatch' },
);

export const AddTimeBody = Type.Object(
  {
    time: Type.Integer({ description: 'seconds' }),
    user_name: Type.Optional(
      Type.String({
        description: 'who worked on the issue; administrators of the repository may name others',
      }),
    ),
    created: Type.Optional(Time),
  },
  { $id: 'AddTimeOption' },
);

const Text = Type.Optional(Type.String());

export const TimeQuery = { user: Text, since: Text, before: Text };
export const OwnTimeQuery = { since: Text, before: Text };
