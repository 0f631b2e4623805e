import { defineActions } from '../../api/access/actions.ts';

export const NOTIFICATION = defineActions('notification', {
  read: { on: 'self', scopes: ['read:notification'] },
  change: { on: 'self', scopes: ['write:notification'] },
  readIn: { on: 'repository', level: 'read', signedIn: true, scopes: ['read:notification'] },
  changeIn: {
    on: 'repository',
    level: 'read',
    signedIn: true,
    scopes: ['write:notification'],
    whenBlocked: true,
  },
});
