import { defineActions } from '../../api/access/actions.ts';

const WRITE = {
  on: 'repository',
  level: 'write',
  unit: 'code',
  scopes: ['write:repository'],
  why: 'you may read this repository, but not change its refs',
} as const;

export const REF = defineActions('ref', {
  read: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  create: WRITE,
  move: WRITE,
  delete: WRITE,
});
