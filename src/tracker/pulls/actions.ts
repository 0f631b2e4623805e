import { defineActions } from '../../api/access/actions.ts';

const why = 'only the author of a pull request, and people who may write, can do this';

/** The author of a pull request may change it, too; the services decide that. */
export const PULL = defineActions('pull', {
  read: { on: 'repository', level: 'read', unit: ['pulls'], scopes: ['read:repository'] },
  /** with everything that issues have, too: comments, labels and reactions */
  readThread: { on: 'repository', level: 'read', unit: ['pulls'], scopes: ['read:issue', 'read:repository'] },
  create: {
    on: 'repository',
    level: 'read',
    unit: ['pulls'],
    signedIn: true,
    scopes: ['write:repository'],
  },
  change: {
    on: 'repository',
    level: 'read',
    unit: ['pulls'],
    signedIn: true,
    scopes: ['write:repository'],
    why,
  },
  /** The rules of merges decide, with other failures. */
  merge: {
    on: 'repository',
    level: 'read',
    unit: ['pulls'],
    signedIn: true,
    scopes: ['write:repository'],
  },
  /** reverts and cherry-picks */
  apply: { on: 'repository', level: 'write', unit: 'code', scopes: ['write:repository'] },
  administer: { on: 'repository', level: 'admin', unit: ['pulls'], scopes: ['write:repository'] },
  /** Also comments on lines, and requests for reviews. The author of a review or a comment may delete it. */
  review: {
    on: 'repository',
    level: 'read',
    unit: ['pulls'],
    signedIn: true,
    scopes: ['write:repository'],
  },
  dismiss: {
    on: 'repository',
    level: 'admin',
    unit: ['pulls'],
    scopes: ['write:repository'],
    why: 'only administrators of the repository can dismiss reviews',
  },
});
