import { defineActions } from '../../api/access/actions.ts';

export const TEAM = defineActions('team', {
  list: {
    on: 'organization',
    rank: 'member',
    scopes: ['read:organization'],
    why: 'only members of the organization see its teams',
  },
  create: { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
  read: { on: 'team', within: 'team', scopes: ['read:organization'] },
  edit: { on: 'team', within: 'owners', scopes: ['write:organization'] },
  delete: { on: 'team', within: 'owners', scopes: ['write:organization'] },
  listMembers: { on: 'team', within: 'organization', scopes: ['read:organization'] },
  changeMembers: { on: 'team', within: 'owners', scopes: ['write:organization'] },
});

/** Teams of an account. */
export const ACCOUNT_TEAMS = defineActions('account', {
  listTeams: { on: 'self', scopes: ['read:user', 'read:organization'] },
});
