import { defineActions } from '../../api/access/actions.ts';

export const AUDIT = defineActions('audit', {
  readSite: { on: 'site', scopes: ['read:admin'] },
  readOfOrganization: { on: 'organization', rank: 'owner', scopes: ['read:organization'] },
  readOwn: { on: 'self', scopes: ['read:user'] },
});
