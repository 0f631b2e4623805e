import { defineActions } from '../../api/access/actions.ts';

/** Each activity is checked separately: see `store.ts`. */
export const ACTIVITY = defineActions('activity', {
  listIn: { on: 'repository', level: 'read', scopes: ['read:repository'] },
  listOfOrganization: {
    on: 'organization',
    rank: 'visitor',
    scopes: ['read:organization', 'read:repository'],
  },
  listOfTeam: { on: 'team', within: 'team', scopes: ['read:organization', 'read:repository'] },
  listOf: { on: 'open', scopes: ['read:user', 'read:repository'] },
  readHeatmap: { on: 'open', scopes: ['read:user'] },
});
