import { defineActions } from '../../api/access/actions.ts';

/** Sessions of the account itself. Administrators use the actions on accounts. */
export const SESSION = defineActions('session', {
  list: { on: 'self', scopes: ['read:user'] },
  end: { on: 'self', scopes: ['write:user'] },
});
