import { defineActions } from '../../../../api/access/actions.ts';

/** A viewer who may write the blocked issue decides what blocks it. The other issue only has to be readable. */
export const DEPENDENCY = defineActions('issue-dependency', {
  change: { on: 'repository', level: 'write', unit: ['issues'], scopes: ['write:issue'] },
  block: { on: 'repository', level: 'read', unit: ['issues'], signedIn: true, scopes: ['write:issue'] },
});
