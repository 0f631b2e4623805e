import { defineActions } from '../../api/access/actions.ts';

/** Issues and pull requests share milestones, so either unit gives access to them. */
export const MILESTONE = defineActions('milestone', {
  read: { on: 'repository', level: 'read', unit: ['issues', 'pulls'], scopes: ['read:issue'] },
  change: { on: 'repository', level: 'write', unit: ['issues', 'pulls'], scopes: ['write:issue'] },
});
