import { defineActions } from '../../api/access/actions.ts';

/** Pages for people who have forgotten their password, or whose account someone else uses. */
export const RECOVERY = defineActions('recovery', {
  request: { on: 'open', scopes: [] },
  use: { on: 'open', scopes: [] },
});
