import { type Static, Type } from 'typebox';

/** A link that gives an account a new password. Only this server has such records. */
export const ResetLinkSchema = Type.Object(
  {
    url: Type.String({ description: 'for the user: it works once' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'ResetLink' },
);
export type ResetLinkRecord = Static<typeof ResetLinkSchema>;
