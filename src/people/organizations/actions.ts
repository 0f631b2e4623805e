import { defineActions } from '../../api/access/actions.ts';

export const ORGANIZATION = defineActions('organization', {
  list: { on: 'open', scopes: ['read:organization'] },
  create: { on: 'self', scopes: ['write:organization'] },
  read: { on: 'organization', rank: 'visitor', scopes: ['read:organization'] },
  edit: { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
  delete: { on: 'organization', rank: 'owner', scopes: ['write:organization'], needsProof: true },
  listMembers: { on: 'organization', rank: 'visitor', scopes: ['read:organization'] },
  removeMember: { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
  showOwnMembership: {
    on: 'organization',
    rank: 'member',
    scopes: ['write:organization'],
    why: 'only members of the organization may do this',
  },
});

/** Organizations of an account. */
export const ACCOUNT_ORGANIZATIONS = defineActions('account', {
  listOrganizations: { on: 'self', scopes: ['read:user', 'read:organization'] },
  listOrganizationsOf: { on: 'open', scopes: ['read:user', 'read:organization'] },
});

/** Administration of organizations. */
export const SITE_ORGANIZATIONS = defineActions('site', {
  listOrganizations: { on: 'site', scopes: ['read:admin', 'read:organization'] },
  createOrganization: { on: 'site', scopes: ['write:admin', 'write:organization'] },
});
