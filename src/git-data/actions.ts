import { defineActions } from '../access/actions.ts';

export const GIT_DATA = defineActions('git-data', {
  read: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
});
