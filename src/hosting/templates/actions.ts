import { defineActions } from '../../api/access/actions.ts';

export const TEMPLATE = defineActions('template', {
  // Every server of this kind has the same templates, and they belong to no account, so no scope is needed.
  read: { on: 'open', scopes: [] },
});
