import { defineActions } from '../../api/access/actions.ts';

export const PUSH_MIRROR = defineActions('push-mirror', {
  read: {
    on: 'repository',
    level: 'admin',
    scopes: ['read:repository'],
    why: 'only administrators of a repository may see its push mirrors',
  },
  change: {
    on: 'repository',
    level: 'admin',
    scopes: ['write:repository'],
    why: 'only administrators of a repository may change or update its push mirrors',
  },
});
