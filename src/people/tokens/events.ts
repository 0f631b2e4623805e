import { defineEvent } from '../../base/events/model.ts';

export const TOKEN_CREATED = defineEvent<{
  accountId: number;
  tokenId: number;
  name: string;
  scopes: readonly string[];
}>('token.created', { audit: { target: 'token', id: 'tokenId', name: 'name' } });
/** All tokens of an account were deleted at once. */
export const TOKENS_DELETED = defineEvent<{ accountId: number; tokenIds: readonly number[] }>(
  'token.all-deleted',
  { audit: { target: 'account', id: 'accountId' } },
);
export const TOKEN_DELETED = defineEvent<{ accountId: number; tokenId: number; name: string }>(
  'token.deleted',
  {
    audit: { target: 'token', id: 'tokenId', name: 'name' },
  },
);
