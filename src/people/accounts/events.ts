import { defineEvent } from '../../base/events/model.ts';

export const ACCOUNT_CREATED = defineEvent<{ accountId: number; name: string }>('account.created');
export const ACCOUNT_CHANGED = defineEvent<{ accountId: number; changed: readonly string[] }>(
  'account.changed',
);
export const ACCOUNT_DELETED = defineEvent<{ accountId: number; name: string }>('account.deleted');
export const ACCOUNT_RENAMED = defineEvent<{ accountId: number; from: string; to: string }>(
  'account.renamed',
);
export const ACCOUNT_VISIBILITY_CHANGED = defineEvent<{ accountId: number; from: string; to: string }>(
  'account.visibility-changed',
);
