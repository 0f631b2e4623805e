import { defineActions } from '../../api/access/actions.ts';

export const STATUS = defineActions('status', {
  list: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  create: { on: 'repository', level: 'write', unit: 'code', scopes: ['write:repository'] },
});
