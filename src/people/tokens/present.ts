import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { CreatedToken, Token } from './model.ts';
import { type AccessTokenRecord, AccessTokenSchema } from './schema.ts';

export function presentToken(token: Token | CreatedToken): AccessTokenRecord {
  return {
    id: token.id,
    name: token.name,
    sha1: 'token' in token ? token.token : '',
    token_last_eight: token.lastEight,
    scopes: token.scopes.length === 0 ? null : [...token.scopes],
    repositories:
      token.repositories?.map(({ id, owner, name }) => ({
        id,
        name,
        owner,
        full_name: `${owner}/${name}`,
      })) ?? null,
    created_at: wireTime(token.createdAt),
    expires_at: token.expiresAt === null ? null : wireTime(token.expiresAt),
    last_used_at: token.lastUsedAt === null ? null : wireTime(token.lastUsedAt),
  };
}

export const TokenAnswer = answerOf(AccessTokenSchema, presentToken);
