import { defineActions } from '../../../../api/access/actions.ts';

const rule = { on: 'repository', level: 'read', unit: ['issues'], signedIn: true } as const;

export const ISSUE_SUBSCRIPTION = defineActions('issue-subscription', {
  read: { ...rule, scopes: ['read:issue'] },
  /** Only site administrators change the subscriptions of other users. */
  change: { ...rule, scopes: ['write:issue'] },
});
