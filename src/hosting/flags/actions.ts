import { defineActions } from '../../api/access/actions.ts';

export const FLAG = defineActions('flag', {
  read: { on: 'site', scopes: ['read:admin', 'read:repository'] },
  change: { on: 'site', scopes: ['write:admin', 'write:repository'] },
});
