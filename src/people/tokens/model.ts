import type { GrantedScope } from '../../api/access/scopes.ts';
import type { SignInState } from '../accounts/model.ts';

export interface TokenSettings {
  /** how long a new token lasts at most, ms; null: no limit */
  readonly lifetimeMsMax: number | null;
}

/** A token without its secret, which the server does not store. */
export interface Token {
  readonly id: number;
  readonly accountId: number;
  readonly name: string;
  readonly lastEight: string;
  /** granted scopes, without repetitions; empty: no rights that need a scope */
  readonly scopes: readonly GrantedScope[];
  /** the only repositories that the token sees, if its account still sees them; null: no limit */
  readonly repositories: readonly TokenRepository[] | null;
  /** ms */
  readonly createdAt: number;
  /** ms; null: never */
  readonly expiresAt: number | null;
  /** ms, may lag behind by an hour; null: not used yet */
  readonly lastUsedAt: number | null;
}

/** A token that was deleted. */
export interface NamedToken {
  readonly id: number;
  readonly name: string;
}

export interface TokenRepository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
}

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  /** absent: all repositories that the account sees */
  readonly repositories?: readonly RepositoryName[] | undefined;
  /** ms; absent: as late as the settings allow */
  readonly expiresAt?: number | undefined;
}

/** Which tokens of an account a list has. */
export interface TokenFilter {
  /** only tokens that have this scope, perhaps as a part of another one */
  readonly scope?: string | undefined;
  /** only tokens that are limited to repositories, among them this one */
  readonly repository?: RepositoryName | undefined;
}

/** A token that expires soon, and its owner. */
export interface EndingToken {
  readonly id: number;
  readonly name: string;
  readonly lastEight: string;
  /** ms */
  readonly expiresAt: number;
  /** for how many days before its end the owner is to get a notice */
  readonly days: number;
  readonly account: { readonly id: number; readonly name: string; readonly email: string };
}

/** A repository as named in a request; matched in any case. */
export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

/** A new token with its secret, which no later response contains. */
export interface CreatedToken extends Token {
  /** 40 characters */
  readonly token: string;
}

/** The account and the rights of a token. */
export interface Bearer {
  readonly tokenId: number;
  readonly account: SignInState;
  /** whether the token sees only named repositories */
  readonly isLimited: boolean;
  readonly scopes: readonly GrantedScope[];
  /** ms; null: never */
  readonly expiresAt: number | null;
  /** ms; null: not used yet */
  readonly lastUsedAt: number | null;
}
