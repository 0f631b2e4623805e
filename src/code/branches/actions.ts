import { defineActions } from '../../api/access/actions.ts';

const WRITE = {
  on: 'repository',
  level: 'write',
  unit: 'code',
  scopes: ['write:repository'],
  why: 'you may read this repository, but not change its branches',
} as const;

export const BRANCH = defineActions('branch', {
  read: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  create: WRITE,
  rename: WRITE,
  /** in addition, for the default branch and protected ones */
  renameProtected: {
    on: 'repository',
    level: 'admin',
    scopes: ['write:repository'],
    why: 'only administrators of a repository may rename its default branch and protected branches',
  },
  delete: WRITE,
});
