import { hash } from 'node:crypto';
import { isPublicOnly } from '../../api/access/scopes.ts';
import type { Database } from '../../base/database/database.ts';
import type { Addresses } from '../../http/app.ts';
import { avatarAddress } from '../accounts/present.ts';
import type { Accounts } from '../accounts/service.ts';
import type { IssuedTokens } from '../oauth-grants/model.ts';
import { type IdentityScope, opensIdentity, rightsOf, wordsOf } from '../oauth-grants/scopes.ts';
import type { OAuthKeys } from './keys.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { listGroups } from './store/identities.ts';

/** What a client learns about a user: OpenID Connect Core, section 5.1. */
export interface Identity {
  /** the id of the account, which never changes */
  readonly sub: string;
  readonly name?: string;
  readonly preferred_username?: string;
  readonly picture?: string;
  readonly profile?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  /** organizations, and teams as `org:team` */
  readonly groups?: readonly string[];
}

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly oauthKeys: OAuthKeys;
}

/** Says who a user is, as far as the user has granted it. */
export class Identities {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Returns what the scopes of a grant open about its user.
   *
   * @throws ForgeError `not_found` if the account is gone
   */
  async get(accountId: number, scopes: string): Promise<Identity> {
    const { accounts, addresses, database } = this.#use;
    const account = await accounts.get(accountId);
    const opens = (scope: IdentityScope) => opensIdentity(scopes, scope);
    const groups = {
      accountId,
      publicOnly: isPublicOnly(rightsOf(scopes)),
      teamsMax: OAUTH_LIMITS.groupsMax,
    };
    return {
      sub: String(account.id),
      ...(opens('profile')
        ? {
            name: account.fullName === '' ? account.name : account.fullName,
            preferred_username: account.name,
            profile: `${addresses.baseUrl}/${account.name}`,
            picture: avatarAddress(account, addresses),
          }
        : {}),
      // The primary address is one that was confirmed, or that an administrator has set.
      ...(opens('email') && account.email !== '' ? { email: account.email, email_verified: true } : {}),
      ...(opens('groups') ? { groups: await listGroups(database.reader, groups) } : {}),
    };
  }

  /**
   * Returns the id token of a grant; undefined if its client has not asked for one.
   *
   * @see OpenID Connect Core, section 2
   */
  async idToken(
    { grant, scopes, accessToken }: IssuedTokens,
    { clientId, now }: { readonly clientId: string; readonly now: number },
  ): Promise<string | undefined> {
    if (!wordsOf(scopes).includes('openid')) return undefined;
    const seconds = Math.floor(now / 1000);
    return this.#use.oauthKeys.sign({
      ...(await this.get(grant.accountId, scopes)),
      iss: this.#use.addresses.baseUrl,
      aud: clientId,
      exp: seconds + OAUTH_LIMITS.idTokenMs / 1000,
      iat: seconds,
      auth_time: Math.floor(grant.provedAt / 1000),
      at_hash: hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url'),
      ...(grant.nonce === '' ? {} : { nonce: grant.nonce }),
    });
  }
}
