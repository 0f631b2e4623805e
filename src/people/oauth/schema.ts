import { type Static, Type } from 'typebox';

export const ApplicationSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    client_id: Type.String(),
    client_secret: Type.String({
      description: 'a new secret, which no other response contains; empty without a new one',
    }),
    redirect_uris: Type.Array(Type.String()),
    confidential_client: Type.Boolean({
      description: 'whether the client can keep its secret; others must use PKCE',
    }),
    skip_secondary_authorization: Type.Boolean({
      description: 'whether a public client is not asked for again once a user has granted it',
    }),
    created: Type.String({ format: 'date-time' }),
  },
  { $id: 'OAuth2Application' },
);
export type ApplicationRecord = Static<typeof ApplicationSchema>;

export const ApplicationBody = Type.Object(
  {
    name: Type.Optional(Type.String()),
    redirect_uris: Type.Optional(Type.Array(Type.String())),
    confidential_client: Type.Optional(Type.Boolean()),
    skip_secondary_authorization: Type.Optional(Type.Boolean()),
  },
  { $id: 'CreateOAuth2ApplicationOptions' },
);
export type SentApplication = Static<typeof ApplicationBody>;
