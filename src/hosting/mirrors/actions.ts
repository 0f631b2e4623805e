import { defineActions } from '../../api/access/actions.ts';

export const MIGRATION = defineActions('repository', {
  // The owner is looked up later, with a separate action.
  migrate: { on: 'self', scopes: ['write:repository'] },
});

/** Migrations that the viewer has requested. */
export const OWN_MIGRATION = defineActions('migration', {
  read: { on: 'self', scopes: ['read:user', 'read:repository'] },
  cancel: { on: 'self', scopes: ['write:user', 'write:repository'] },
});

export const MIRROR = defineActions('repository', {
  sync: {
    on: 'repository',
    level: 'write',
    unit: 'code',
    scopes: ['write:repository'],
    why: 'you may read this repository, but not update it',
  },
  convert: {
    on: 'repository',
    level: 'owner',
    scopes: ['write:repository'],
    why: 'only the owner may convert this repository',
  },
});
