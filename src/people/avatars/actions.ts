import { defineActions } from '../../api/access/actions.ts';

export const AVATAR = defineActions('avatar', {
  /** Of an account: the service checks who may see it. */
  read: { on: 'open', scopes: [] },
  change: { on: 'self', scopes: ['write:user'] },
  changeOf: { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
});
