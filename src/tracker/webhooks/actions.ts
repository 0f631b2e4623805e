import { defineActions } from '../../api/access/actions.ts';

export const WEBHOOK = defineActions('webhook', {
  read: {
    on: 'repository',
    level: 'admin',
    scopes: ['read:repository'],
    why: 'only administrators of a repository may see its webhooks',
  },
  change: {
    on: 'repository',
    level: 'admin',
    scopes: ['write:repository'],
    why: 'only administrators of a repository may change its webhooks',
  },
  readOfOrganization: {
    on: 'organization',
    rank: 'owner',
    scopes: ['read:organization'],
    why: 'only owners of an organization may see its webhooks',
  },
  changeOfOrganization: {
    on: 'organization',
    rank: 'owner',
    scopes: ['write:organization'],
    why: 'only owners of an organization may change its webhooks',
  },
  readOwn: { on: 'self', scopes: ['read:user'] },
  changeOwn: { on: 'self', scopes: ['write:user'] },
  readOfSite: { on: 'site', scopes: ['read:admin'] },
  changeOfSite: { on: 'site', scopes: ['write:admin'] },
});
