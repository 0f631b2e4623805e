import { defineActions } from '../../../../api/access/actions.ts';
import { TRACKER_UNITS } from '../../../../api/access/levels.ts';

const rule = { on: 'repository', level: 'read', unit: TRACKER_UNITS, signedIn: true } as const;

export const ISSUE_SUBSCRIPTION = defineActions('issue-subscription', {
  read: { ...rule, scopes: ['read:issue'] },
  /** Only site administrators change the subscriptions of other users. */
  change: { ...rule, scopes: ['write:issue'] },
});
