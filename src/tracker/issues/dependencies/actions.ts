import { defineActions } from '../../../api/access/actions.ts';

/** Who may write the blocked issue decides what blocks it. The other issue needs to be readable only. */
export const DEPENDENCY = defineActions('issue-dependency', {
  change: { on: 'repository', level: 'write', unit: ['issues'], scopes: ['write:issue'] },
  block: { on: 'repository', level: 'read', unit: ['issues'], signedIn: true, scopes: ['write:issue'] },
});
