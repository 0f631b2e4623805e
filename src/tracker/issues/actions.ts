import { defineActions } from '../../api/access/actions.ts';
import { TRACKER_UNITS } from '../../api/access/levels.ts';

const why = 'only the author of an issue, and people who may write, can do this';
const whyComment = 'only the author of a comment, and people who may write, can do this';

/**
 * Except for the creation of an issue, the actions are on pull requests, too: `IssueAccess` requires the unit of the
 * issue or pull request that it finds. The author of an issue or of a comment may change it, too; the services decide
 * that.
 */
export const ISSUE = defineActions('issue', {
  /** Each repository of a list is checked separately. */
  search: { on: 'open', scopes: ['read:issue'] },
  /** Lists of the viewer, such as the issues that are assigned to the viewer. */
  searchOwn: { on: 'self', scopes: ['read:issue'] },
  read: { on: 'repository', level: 'read', unit: TRACKER_UNITS, scopes: ['read:issue'] },
  /** Of an attachment. Its address names no repository, so the service checks its issue. */
  download: { on: 'open', scopes: ['read:issue'] },
  create: { on: 'repository', level: 'read', unit: ['issues'], signedIn: true, scopes: ['write:issue'] },
  change: {
    on: 'repository',
    level: 'read',
    unit: TRACKER_UNITS,
    signedIn: true,
    scopes: ['write:issue'],
    why,
  },
  comment: { on: 'repository', level: 'read', unit: TRACKER_UNITS, signedIn: true, scopes: ['write:issue'] },
  changeComment: {
    on: 'repository',
    level: 'read',
    unit: TRACKER_UNITS,
    signedIn: true,
    scopes: ['write:issue'],
    why: whyComment,
  },
  manage: { on: 'repository', level: 'write', unit: TRACKER_UNITS, scopes: ['write:issue'] },
  listPinned: { on: 'repository', level: 'read', unit: ['issues'], scopes: ['read:issue'] },
  pin: { on: 'repository', level: 'admin', unit: TRACKER_UNITS, scopes: ['write:issue'] },
  delete: { on: 'repository', level: 'admin', unit: TRACKER_UNITS, scopes: ['write:issue'] },
});
