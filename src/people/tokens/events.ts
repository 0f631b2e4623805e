import { defineEvent } from '../../base/events/model.ts';

export const TOKEN_CREATED = defineEvent<{
  accountId: number;
  tokenId: number;
  name: string;
  scopes: readonly string[];
}>('token.created');
/** All tokens of an account were deleted at once. */
export const TOKENS_DELETED = defineEvent<{ accountId: number; tokenIds: readonly number[] }>(
  'token.all-deleted',
);
export const TOKEN_DELETED = defineEvent<{ accountId: number; tokenId: number }>('token.deleted');
