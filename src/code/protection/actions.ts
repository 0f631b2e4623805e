import { defineActions } from '../../api/access/actions.ts';

export const PROTECTION = defineActions('protection', {
  read: { on: 'repository', level: 'admin', scopes: ['read:repository'] },
  change: {
    on: 'repository',
    level: 'admin',
    scopes: ['write:repository'],
    why: 'only administrators of a repository may protect its branches and tags',
  },
});
