import { defineActions } from '../../api/access/actions.ts';

export const WIKI = defineActions('wiki', {
  read: { on: 'repository', level: 'read', unit: 'wiki', scopes: ['read:repository'] },
  // Everyone who has signed in may edit some wikis, so the level that it needs depends on the settings of the wiki.
  beginEdit: {
    on: 'repository',
    level: 'read',
    levelBySettings: 'write',
    unit: 'wiki',
    signedIn: true,
    scopes: ['write:repository'],
  },
  edit: {
    on: 'repository',
    level: 'write',
    unit: 'wiki',
    signedIn: true,
    scopes: ['write:repository'],
    why: 'you may read this wiki, but not change it',
  },
});
