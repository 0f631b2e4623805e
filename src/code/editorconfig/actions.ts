import { defineActions } from '../../api/access/actions.ts';

export const EDITORCONFIG = defineActions('editorconfig', {
  read: { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
});
