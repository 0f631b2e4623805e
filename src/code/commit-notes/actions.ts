import { defineActions } from '../../api/access/actions.ts';

const WRITE = {
  on: 'repository',
  level: 'write',
  unit: 'code',
  scopes: ['write:repository'],
  why: 'you may read this repository, but not change the notes on its commits',
} as const;

export const COMMIT_NOTE = defineActions('commit-note', {
  read: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  set: WRITE,
  remove: WRITE,
});
