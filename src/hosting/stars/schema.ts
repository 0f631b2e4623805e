import { type Static, Type } from 'typebox';

export const WatchInfoSchema = Type.Object(
  {
    subscribed: Type.Boolean(),
    ignored: Type.Boolean(),
    reason: Type.Null(),
    created_at: Type.String({ format: 'date-time' }),
    url: Type.String(),
    repository_url: Type.String(),
  },
  { $id: 'WatchInfo' },
);
export type WatchInfo = Static<typeof WatchInfoSchema>;
