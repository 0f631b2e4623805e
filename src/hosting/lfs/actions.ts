import { defineActions } from '../../api/access/actions.ts';

export const LFS = defineActions('lfs', {
  download: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  upload: {
    on: 'repository',
    level: 'write',
    unit: 'code',
    scopes: ['write:repository'],
    why: 'you may read this repository, but not upload to it',
  },
  listLocks: { on: 'repository', level: 'read', unit: 'code', signedIn: true, scopes: ['read:repository'] },
  lock: {
    on: 'repository',
    level: 'write',
    unit: 'code',
    signedIn: true,
    scopes: ['write:repository'],
    why: 'you may read this repository, but not lock its files',
  },
});
