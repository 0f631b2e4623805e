import type { GrantedScope } from '../../api/access/scopes.ts';
import type { SignInState } from '../accounts/model.ts';

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
}

/** A repository as named in a request; matched in any case. */
export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

/** A new token with its secret, which no later response contains. */
export interface CreatedToken extends Token {
  /** 40 hex digits */
  readonly token: string;
}

/** The account and the rights of a token. */
export interface Bearer {
  readonly tokenId: number;
  readonly account: SignInState;
  /** whether the token sees only named repositories */
  readonly isLimited: boolean;
  readonly scopes: readonly GrantedScope[];
}
