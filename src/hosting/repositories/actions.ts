import { defineActions } from '../../api/access/actions.ts';

export const REPOSITORY = defineActions('repository', {
  read: { on: 'repository', level: 'read', scopes: ['read:repository'] },
  edit: {
    on: 'repository',
    level: 'admin',
    scopes: ['write:repository'],
    why: 'only administrators of a repository may change its settings',
  },
  delete: {
    on: 'repository',
    level: 'owner',
    ownerScope: 'write',
    scopes: ['write:repository'],
    needsProof: true,
    why: 'only the owner of a repository may delete it',
  },
  fork: {
    on: 'repository',
    level: 'read',
    unit: 'code',
    signedIn: true,
    scopes: ['write:repository'],
  },
  fetch: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  // A push may also propose commits, so the level that it needs depends on its refs.
  beginPush: {
    on: 'repository',
    level: 'read',
    unit: 'code',
    signedIn: true,
    scopes: ['write:repository'],
  },
  push: {
    on: 'repository',
    level: 'write',
    unit: 'code',
    scopes: ['write:repository'],
    why: 'you may read this repository, but not push to it',
  },
  listAssignable: { on: 'repository', level: 'read', signedIn: true, scopes: ['read:repository'] },
});

export const COLLABORATOR = defineActions('collaborator', {
  list: { on: 'repository', level: 'write', scopes: ['read:repository'] },
  readPermission: { on: 'repository', level: 'read', scopes: ['read:repository'] },
  change: { on: 'repository', level: 'admin', scopes: ['write:repository'] },
});

/** Repositories of an account. */
export const ACCOUNT_REPOSITORIES = defineActions('account', {
  listRepositories: { on: 'self', scopes: ['read:user', 'read:repository'] },
  listRepositoriesOf: { on: 'open', scopes: ['read:user', 'read:repository'] },
  createRepository: { on: 'self', scopes: ['write:user', 'write:repository'] },
});

/** Repositories of an organization. */
export const ORGANIZATION_REPOSITORIES = defineActions('organization', {
  listRepositories: {
    on: 'organization',
    rank: 'visitor',
    scopes: ['read:organization', 'read:repository'],
  },
  // Any signed-in viewer may ask; the standing in the organization says who may create in it.
  createRepository: { on: 'self', scopes: ['write:organization', 'write:repository'] },
});

/** Administration of repositories. */
export const SITE_REPOSITORIES = defineActions('site', {
  createRepository: { on: 'site', scopes: ['write:admin', 'write:repository'] },
});
