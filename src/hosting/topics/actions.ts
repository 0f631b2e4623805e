import { defineActions } from '../../api/access/actions.ts';

export const TOPIC = defineActions('topic', {
  search: { on: 'open', scopes: ['read:repository'] },
  list: { on: 'repository', level: 'read', scopes: ['read:repository'] },
  change: { on: 'repository', level: 'admin', scopes: ['write:repository'] },
});
