import { defineActions } from '../../api/access/actions.ts';

export const OBJECT = defineActions('object', {
  /** The signature of the address is the credential. */
  download: { on: 'open', scopes: [] },
});
