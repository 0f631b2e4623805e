import { defineActions } from '../../api/access/actions.ts';

export const REPOSITORY_SEARCH = defineActions('repository', {
  search: { on: 'open', scopes: ['read:repository'] },
});
