import { defineActions } from '../../../api/access/actions.ts';

const rule = { on: 'repository', level: 'read', unit: ['issues'], signedIn: true } as const;

export const ISSUE_SUBSCRIPTION = defineActions('issue-subscription', {
  read: { ...rule, scopes: ['read:issue'] },
  /** Only administrators of the site change those of others. */
  change: { ...rule, scopes: ['write:issue'] },
});
