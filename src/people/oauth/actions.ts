import { defineActions } from '../../api/access/actions.ts';

/** Applications of the viewer. A new secret is a credential. */
export const OAUTH_APPLICATION = defineActions('oauth-application', {
  list: { on: 'self', scopes: ['read:user'] },
  write: { on: 'self', scopes: ['write:user'], needsProof: true },
});

export const ORGANIZATION_APPLICATION = defineActions('organization-oauth-application', {
  list: { on: 'organization', rank: 'owner', scopes: ['read:organization'] },
  write: { on: 'organization', rank: 'owner', scopes: ['write:organization'], needsProof: true },
});

export const SITE_APPLICATION = defineActions('site-oauth-application', {
  list: { on: 'site', scopes: ['read:admin'] },
  write: { on: 'site', scopes: ['write:admin'], needsProof: true },
});

/** What a client does with tokens. The routes check the client, or which token it is. */
export const OAUTH_PROTOCOL = defineActions('oauth', {
  describe: { on: 'open', scopes: [] },
  exchange: { on: 'open', scopes: [] },
  readUser: { on: 'open', scopes: [] },
});
