import { defineActions } from '../../api/access/actions.ts';

export const COMMIT = defineActions('commit', {
  read: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
});
