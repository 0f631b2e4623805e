import { type Static, Type } from 'typebox';

/** A browser that has signed in. Only this server has such records. */
export const SessionSchema = Type.Object(
  {
    id: Type.Integer(),
    is_current: Type.Boolean({ description: 'the session that the request came with' }),
    is_remembered: Type.Boolean({ description: 'whether the browser keeps its cookie when it is closed' }),
    proofs: Type.Array(Type.String(), {
      description: 'how the user signed in: password, code, recovery-code, passkey, external',
    }),
    user_agent: Type.String(),
    address: Type.String({ description: 'network address of the last request, up to five minutes old' }),
    created_at: Type.String({ format: 'date-time' }),
    proved_at: Type.String({ format: 'date-time' }),
    last_seen_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Session' },
);
export type SessionRecord = Static<typeof SessionSchema>;
