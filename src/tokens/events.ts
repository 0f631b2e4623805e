import { defineEvent } from '../events/model.ts';

export const TOKEN_CREATED = defineEvent<{
  accountId: number;
  tokenId: number;
  name: string;
  scopes: readonly string[];
}>('token.created');
export const TOKEN_DELETED = defineEvent<{ accountId: number; tokenId: number }>('token.deleted');
