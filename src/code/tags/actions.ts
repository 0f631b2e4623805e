import { defineActions } from '../../api/access/actions.ts';

const WRITE = {
  on: 'repository',
  level: 'write',
  unit: 'code',
  scopes: ['write:repository'],
  why: 'you may read this repository, but not change its tags',
} as const;

export const TAG = defineActions('tag', {
  read: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  create: WRITE,
  delete: WRITE,
});
