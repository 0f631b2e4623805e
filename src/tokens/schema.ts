import { type Static, Type } from 'typebox';

export const AccessTokenSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    /** the token itself, only in the answer that made it */
    sha1: Type.String(),
    token_last_eight: Type.String(),
    scopes: Type.Union([Type.Array(Type.String()), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'AccessToken' },
);
export type AccessTokenRecord = Static<typeof AccessTokenSchema>;

export const CreateAccessTokenBody = Type.Object(
  {
    name: Type.String(),
    scopes: Type.Optional(Type.Array(Type.String())),
    repositories: Type.Optional(Type.Array(Type.Unknown())),
  },
  { $id: 'CreateAccessTokenOption' },
);

export const TokenOwnerParams = Type.Object({ username: Type.String() });
export const TokenParams = Type.Object({ username: Type.String(), token: Type.String() });
