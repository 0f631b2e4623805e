import { type Static, Type } from 'typebox';

/** An invitation to have an account. Only this server has such records. */
export const InvitationSchema = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    team_id: Type.Union([Type.Integer(), Type.Null()], { description: 'team that the user joins' }),
    inviter_id: Type.Union([Type.Integer(), Type.Null()], {
      description: 'administrator who has invited; null: the operator, at the command line',
    }),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
    url: Type.Optional(Type.String({ description: 'for the invited person; only when it is made' })),
  },
  { $id: 'Invitation' },
);
export type InvitationRecord = Static<typeof InvitationSchema>;

export const CreateInvitationBody = Type.Object(
  { email: Type.String(), team_id: Type.Optional(Type.Integer()) },
  { $id: 'CreateInvitationOption' },
);
