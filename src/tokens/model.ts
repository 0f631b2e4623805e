import type { GrantedScope } from '../access/scopes.ts';
import type { SignInState } from '../accounts/model.ts';

/** A token as it can be shown again: the token itself is not known any more. */
export interface Token {
  readonly id: number;
  readonly accountId: number;
  readonly name: string;
  readonly lastEight: string;
  /** without repetitions, as granted; none: good for nothing that needs a scope */
  readonly scopes: readonly GrantedScope[];
  /** the only ones that exist for it, of those that its account may still see; null: there is no such limit */
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
  /** absent: all that the account may see */
  readonly repositories?: readonly RepositoryName[] | undefined;
}

/** As a request names one; matched whatever its case. */
export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

/** A token at the one moment when it can be told. */
export interface MadeToken extends Token {
  /** 40 hex digits */
  readonly token: string;
}

/** Whom a token belongs to, and what it is good for. */
export interface Bearer {
  readonly tokenId: number;
  readonly account: SignInState;
  /** only named repositories exist for it */
  readonly isLimited: boolean;
  readonly scopes: readonly GrantedScope[];
}
