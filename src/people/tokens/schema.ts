import { type Static, Type } from 'typebox';
import { TOKEN_LIMITS } from './limits.ts';

/** A repository in brief. */
const RepositoryMetaSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  owner: Type.String(),
  full_name: Type.String(),
});

export const AccessTokenSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    /** the token itself in the answer to its creation, otherwise empty */
    sha1: Type.String(),
    token_last_eight: Type.String(),
    scopes: Type.Union([Type.Array(Type.String()), Type.Null()]),
    /** null: not limited to named repositories */
    repositories: Type.Union([Type.Array(RepositoryMetaSchema), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: '`null`: never',
      'x-quire': true,
    }),
    last_used_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'may lag behind by an hour; `null`: not used yet',
      'x-quire': true,
    }),
  },
  { $id: 'AccessToken' },
);
export type AccessTokenRecord = Static<typeof AccessTokenSchema>;

export const CreateAccessTokenBody = Type.Object(
  {
    name: Type.String(),
    scopes: Type.Optional(Type.Array(Type.String())),
    /** The only repositories that the token can see, each as `owner/name` or as an object of the two. */
    repositories: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Object({ owner: Type.String(), name: Type.String() })]), {
        maxItems: TOKEN_LIMITS.repositoriesPerTokenMax,
      }),
    ),
    expires_at: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'when the token expires, as RFC 3339; as late as the server allows if absent',
        'x-quire': true,
      }),
    ),
  },
  { $id: 'CreateAccessTokenOption' },
);
export const TokenQuery = {
  scope: Type.Optional(Type.String()),
  repository: Type.Optional(Type.String()),
};

export type CreateAccessToken = Static<typeof CreateAccessTokenBody>;
