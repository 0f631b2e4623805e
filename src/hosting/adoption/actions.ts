import { defineActions } from '../../api/access/actions.ts';

export const ADOPTION = defineActions('adoption', {
  list: { on: 'site', scopes: ['read:admin'] },
  change: { on: 'site', scopes: ['write:admin'] },
});
