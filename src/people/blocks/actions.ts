import { defineActions } from '../../api/access/actions.ts';

export const BLOCK = defineActions('block', {
  read: { on: 'self', scopes: ['read:user'] },
  change: { on: 'self', scopes: ['write:user'] },
  readOf: { on: 'organization', rank: 'owner', scopes: ['read:organization'] },
  changeOf: { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
});
