import { defineActions } from '../../api/access/actions.ts';

export const LANGUAGE = defineActions('language', {
  list: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
});
