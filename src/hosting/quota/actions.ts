import { defineActions } from '../../api/access/actions.ts';

export const QUOTA = defineActions('quota', {
  read: { on: 'site', scopes: ['read:admin'] },
  change: { on: 'site', scopes: ['write:admin'] },
  readOwn: { on: 'self', scopes: ['read:user'] },
  readOfOrganization: {
    on: 'organization',
    rank: 'owner',
    scopes: ['read:organization'],
    why: 'only owners of the organization may see its quota',
  },
});
