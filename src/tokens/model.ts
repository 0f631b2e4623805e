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
  /** ms */
  readonly createdAt: number;
}

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** A token at the one moment when it can be told. */
export interface MadeToken extends Token {
  /** 40 hex digits */
  readonly token: string;
}

/** Whom a token belongs to, and what it is good for. */
export interface Bearer {
  readonly account: SignInState;
  readonly scopes: readonly GrantedScope[];
}
