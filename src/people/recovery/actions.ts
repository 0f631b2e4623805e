import { defineActions } from '../../api/access/actions.ts';

/** The page for people who have forgotten their password. */
export const RECOVERY = defineActions('recovery', {
  request: { on: 'open', scopes: [] },
});
