import type { Database } from '../../base/database/database.ts';
import { OAuthGrants } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly oauthSettings: { readonly isEnabled: boolean };
}

export function createOAuthGrants({ database, oauthSettings: { isEnabled } }: Dependencies) {
  return { services: { oauthGrants: new OAuthGrants({ database, isEnabled }) } };
}
