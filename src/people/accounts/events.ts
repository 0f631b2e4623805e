import { defineEvent } from '../../base/events/model.ts';

export const ACCOUNT_CREATED = defineEvent<{ accountId: number; name: string }>('account.created', {
  audit: { target: 'account', id: 'accountId', name: 'name' },
});
export const ACCOUNT_CHANGED = defineEvent<{ accountId: number; changed: readonly string[] }>(
  'account.changed',
  { audit: { target: 'account', id: 'accountId' } },
);
export const ACCOUNT_DELETED = defineEvent<{ accountId: number; name: string }>('account.deleted', {
  audit: { target: 'account', id: 'accountId', name: 'name' },
});
export const ACCOUNT_RENAMED = defineEvent<{ accountId: number; from: string; to: string }>(
  'account.renamed',
  { audit: { target: 'account', id: 'accountId' } },
);
export const ACCOUNT_VISIBILITY_CHANGED = defineEvent<{ accountId: number; from: string; to: string }>(
  'account.visibility-changed',
  { audit: { target: 'account', id: 'accountId' } },
);
