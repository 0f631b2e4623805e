import { defineActions } from '../../../../api/access/actions.ts';
import { TRACKER_UNITS } from '../../../../api/access/levels.ts';

/**
 * A viewer who may write the blocked issue decides what blocks it. The other issue only has to be readable, by a viewer
 * whom its owner has not blocked: it gets an entry too.
 */
export const DEPENDENCY = defineActions('issue-dependency', {
  change: { on: 'repository', level: 'write', unit: TRACKER_UNITS, scopes: ['write:issue'] },
  block: { on: 'repository', level: 'read', unit: TRACKER_UNITS, signedIn: true, scopes: ['write:issue'] },
});
