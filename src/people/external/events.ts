import { defineEvent } from '../../base/events/model.ts';

export const IDENTITY_LINKED = defineEvent<{ accountId: number; identityId: number; issuer: string }>(
  'account.identity-linked',
  { audit: { target: 'account', id: 'accountId' } },
);
export const IDENTITY_UNLINKED = defineEvent<{ accountId: number; identityId: number; issuer: string }>(
  'account.identity-unlinked',
  { audit: { target: 'account', id: 'accountId' } },
);
