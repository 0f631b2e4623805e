import { defineActions } from '../../api/access/actions.ts';

/** Keys of users. Administrators use the actions on accounts. */
export const KEY = defineActions('key', {
  list: { on: 'open', scopes: ['read:user'] },
  read: { on: 'self', scopes: ['read:user'] },
  change: { on: 'self', scopes: ['write:user'], needsProof: true },
});

export const DEPLOY_KEY = defineActions('deploy-key', {
  read: { on: 'repository', level: 'admin', scopes: ['read:repository'] },
  change: {
    on: 'repository',
    level: 'admin',
    scopes: ['write:repository'],
    needsProof: true,
    why: 'only administrators of a repository may change its deploy keys',
  },
});
