import { defineActions } from '../../api/access/actions.ts';

export const FOLLOW = defineActions('follow', {
  list: { on: 'open', scopes: ['read:user'] },
  readOwn: { on: 'self', scopes: ['read:user'] },
  change: { on: 'self', scopes: ['write:user'] },
});
