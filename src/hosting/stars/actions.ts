import { defineActions } from '../../api/access/actions.ts';

export const STAR = defineActions('star', {
  read: { on: 'repository', level: 'read', signedIn: true, scopes: ['read:user', 'read:repository'] },
  change: { on: 'repository', level: 'read', signedIn: true, scopes: ['write:user', 'write:repository'] },
  list: { on: 'repository', level: 'read', scopes: ['read:repository'] },
});

export const WATCH = defineActions('watch', {
  read: { on: 'repository', level: 'read', signedIn: true, scopes: ['read:repository'] },
  change: { on: 'repository', level: 'read', signedIn: true, scopes: ['write:repository'] },
  list: { on: 'repository', level: 'read', scopes: ['read:repository'] },
});
