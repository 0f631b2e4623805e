import { defineEvent } from '../../base/events/model.ts';

export const ORGANIZATION_CREATED = defineEvent<{ organizationId: number; name: string; visibility: string }>(
  'organization.created',
  { audit: { target: 'organization', id: 'organizationId', name: 'name' } },
);
export const ORGANIZATION_CHANGED = defineEvent<{ organizationId: number; changed: readonly string[] }>(
  'organization.changed',
  { audit: { target: 'organization', id: 'organizationId' } },
);
export const ORGANIZATION_VISIBILITY_CHANGED = defineEvent<{
  organizationId: number;
  from: string;
  to: string;
}>('organization.visibility-changed', { audit: { target: 'organization', id: 'organizationId' } });
export const ORGANIZATION_RENAMED = defineEvent<{ organizationId: number; from: string; to: string }>(
  'organization.renamed',
  { audit: { target: 'organization', id: 'organizationId' } },
);
export const ORGANIZATION_DELETED = defineEvent<{ organizationId: number; name: string }>(
  'organization.deleted',
  { audit: { target: 'organization', id: 'organizationId', name: 'name' } },
);
export const ORGANIZATION_MEMBER_ADDED = defineEvent<{ organizationId: number; accountId: number }>(
  'organization.member-added',
  { people: ['accountId'], audit: { target: 'account', id: 'accountId' } },
);
export const ORGANIZATION_MEMBER_REMOVED = defineEvent<{ organizationId: number; accountId: number }>(
  'organization.member-removed',
  { people: ['accountId'], audit: { target: 'account', id: 'accountId' } },
);
export const ORGANIZATION_MEMBERSHIP_SHOWN = defineEvent<{
  organizationId: number;
  accountId: number;
  public: boolean;
}>('organization.membership-shown', { people: ['accountId'], audit: { target: 'account', id: 'accountId' } });
