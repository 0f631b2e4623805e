import { defineActions } from '../../api/access/actions.ts';

export const ISSUE_TEMPLATE = defineActions('issue-template', {
  read: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
});
