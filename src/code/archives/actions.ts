import { defineActions } from '../../api/access/actions.ts';

export const ARCHIVE = defineActions('archive', {
  get: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
});
