import { defineActions } from '../../api/access/actions.ts';

const WRITE = {
  on: 'repository',
  level: 'write',
  unit: 'releases',
  scopes: ['write:repository'],
  why: 'you may read this repository, but not change its releases',
} as const;

/** A tag that a release creates also needs the permission to push. */
export const RELEASE = defineActions('release', {
  read: { on: 'repository', level: 'read', unit: 'releases', scopes: ['read:repository'] },
  /** Only people who may write releases see drafts. */
  readDrafts: { on: 'repository', level: 'write', unit: 'releases', scopes: ['read:repository'] },
  create: WRITE,
  change: WRITE,
  delete: WRITE,
});
