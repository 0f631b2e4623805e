import { defineEvent } from '../../base/events/model.ts';

// Only the account that blocks may see these events: a user, or the owners of an organization.

export const ACCOUNT_BLOCKED = defineEvent<{ accountId: number; blockedId: number }>('account.blocked', {
  audit: { target: 'account', id: 'blockedId' },
});
export const ACCOUNT_UNBLOCKED = defineEvent<{ accountId: number; blockedId: number }>('account.unblocked', {
  audit: { target: 'account', id: 'blockedId' },
});
export const ORGANIZATION_BLOCKED = defineEvent<{ organizationId: number; blockedId: number }>(
  'organization.blocked',
  { audit: { target: 'account', id: 'blockedId' } },
);
export const ORGANIZATION_UNBLOCKED = defineEvent<{ organizationId: number; blockedId: number }>(
  'organization.unblocked',
  { audit: { target: 'account', id: 'blockedId' } },
);
