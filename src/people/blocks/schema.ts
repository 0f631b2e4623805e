import { type Static, Type } from 'typebox';

export const BlockedUserSchema = Type.Object(
  {
    block_id: Type.Integer({ description: 'id of the blocked user' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'BlockedUser' },
);
export type BlockedUserRecord = Static<typeof BlockedUserSchema>;
