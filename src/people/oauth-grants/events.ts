import { defineEvent } from '../../base/events/model.ts';

/** A client has exchanged the code that a user granted. */
export const OAUTH_GRANT_STARTED = defineEvent<{
  accountId: number;
  grantId: number;
  applicationId: number;
  scopes: string;
}>('oauth-grant.started', { audit: { target: 'oauth-grant', id: 'grantId' } });
/** `reuse`: someone has used a code or a refresh token a second time. */
export const OAUTH_GRANT_ENDED = defineEvent<{
  accountId: number;
  grantId: number;
  applicationId: number;
  why: 'revoked' | 'reuse';
}>('oauth-grant.ended', { audit: { target: 'oauth-grant', id: 'grantId' } });
/** All grants of an account ended at once: to all applications, or to one. */
export const OAUTH_GRANTS_ENDED = defineEvent<{ accountId: number; applicationId: number | null }>(
  'oauth-grant.all-ended',
  { audit: { target: 'account', id: 'accountId' } },
);
