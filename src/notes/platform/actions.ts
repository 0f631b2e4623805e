import { defineActions } from '../../api/access/actions.ts';

export const APP_PASSWORD = defineActions('app-password', {
  /** A client starts to sign in before it has a credential. */
  request: { on: 'open', scopes: [], forNotes: true },
  /** A user grants an app password to a client. */
  grant: { on: 'self', scopes: ['write:user'], needsProof: true },
  readOwn: { on: 'self', scopes: ['read:user'], forNotes: true },
  /** A credential may always end itself. */
  revoke: { on: 'self', scopes: [], forNotes: true },
});
