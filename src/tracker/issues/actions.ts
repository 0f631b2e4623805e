import { defineActions } from '../../api/access/actions.ts';

const why = 'only the author of an issue, and people who may write, can do this';
const whyComment = 'only the author of a comment, and people who may write, can do this';

/** The author of an issue or of a comment may change it, too; the services decide that. */
export const ISSUE = defineActions('issue', {
  /** Each repository of a list is checked separately. */
  search: { on: 'open', scopes: ['read:issue'] },
  read: { on: 'repository', level: 'read', unit: ['issues'], scopes: ['read:issue'] },
  /** Of an attachment. Its address names no repository, so the service checks its issue. */
  download: { on: 'open', scopes: ['read:issue'] },
  create: { on: 'repository', level: 'read', unit: ['issues'], signedIn: true, scopes: ['write:issue'] },
  change: { on: 'repository', level: 'read', unit: ['issues'], signedIn: true, scopes: ['write:issue'], why },
  comment: { on: 'repository', level: 'read', unit: ['issues'], signedIn: true, scopes: ['write:issue'] },
  changeComment: {
    on: 'repository',
    level: 'read',
    unit: ['issues'],
    signedIn: true,
    scopes: ['write:issue'],
    why: whyComment,
  },
  manage: { on: 'repository', level: 'write', unit: ['issues'], scopes: ['write:issue'] },
  pin: { on: 'repository', level: 'admin', unit: ['issues'], scopes: ['write:issue'] },
  delete: { on: 'repository', level: 'admin', unit: ['issues'], scopes: ['write:issue'] },
});
