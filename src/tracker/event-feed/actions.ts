import { defineActions } from '../../api/access/actions.ts';

/** Each event is checked separately: see `rules.ts`. */
export const EVENT = defineActions('event', {
  list: { on: 'open', scopes: ['read:repository'] },
  listIn: { on: 'repository', level: 'read', scopes: ['read:repository'] },
  listOfOrganization: {
    on: 'organization',
    rank: 'visitor',
    scopes: ['read:organization', 'read:repository'],
  },
  listOf: { on: 'open', scopes: ['read:user', 'read:repository'] },
});
