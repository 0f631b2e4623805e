import { defineActions } from '../../api/access/actions.ts';

export const GIT_DATA = defineActions('git-data', {
  read: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  write: {
    on: 'repository',
    level: 'write',
    unit: 'code',
    scopes: ['write:repository'],
    why: 'you may read this repository, but not write git objects into it',
  },
});
