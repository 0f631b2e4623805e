import { defineActions } from '../../api/access/actions.ts';

export const CRON = defineActions('cron', {
  list: { on: 'site', scopes: ['read:admin'] },
  run: { on: 'site', scopes: ['write:admin'] },
});
