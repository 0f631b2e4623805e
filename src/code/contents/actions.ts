import { defineActions } from '../../api/access/actions.ts';

export const CONTENTS = defineActions('contents', {
  read: {
    on: 'repository',
    level: 'read',
    unit: 'code',
    scopes: ['read:repository'],
    whyWithoutCode: 'you may see this repository, but not read its code',
  },
  /** Reads by a POST, for which a token needs the scope of writing. */
  readByPost: {
    on: 'repository',
    level: 'read',
    unit: 'code',
    scopes: ['write:repository'],
    whyWithoutCode: 'you may see this repository, but not read its code',
  },
  readRaw: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  write: {
    on: 'repository',
    level: 'write',
    unit: 'code',
    scopes: ['write:repository'],
    why: 'you may read this repository, but not change it',
  },
});
