import { defineActions } from '../../api/access/actions.ts';

/** What a user has granted to applications. */
export const OAUTH_GRANT = defineActions('oauth-grant', {
  /** The service demands the session of a browser, and the user consents on a page. */
  request: { on: 'open', scopes: [] },
  give: { on: 'self', scopes: ['write:user'] },
  end: { on: 'self', scopes: ['write:user'] },
});
