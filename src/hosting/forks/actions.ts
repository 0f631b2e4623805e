import { defineActions } from '../../api/access/actions.ts';

export const FORK = defineActions('repository', {
  syncFork: { on: 'repository', level: 'write', unit: 'code', scopes: ['write:repository'] },
});
