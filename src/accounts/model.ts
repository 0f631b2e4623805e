export type AccountKind = 'user' | 'organization';
export type AccountVisibility = 'public' | 'limited' | 'private';

/** What it takes to show an account to others. Of what is here, the e-mail alone may have to be withheld. */
export interface PublicAccount {
  readonly id: number;
  readonly kind: AccountKind;
  /** as it was chosen; matched whatever its case */
  readonly name: string;
  readonly fullName: string;
  /** '' for an account without one */
  readonly email: string;
  readonly keepsEmailPrivate: boolean;
  /**
   * public: to all; limited: to whoever is signed in; private: to itself, to site administrators and to whoever shares an
   * organization with it (of an organization: to its members)
   */
  readonly visibility: AccountVisibility;
  readonly website: string;
  readonly location: string;
  readonly description: string;
  readonly pronouns: string;
  /** from whoever is not signed in */
  readonly hidesPronouns: boolean;
  readonly isRestricted: boolean;
  /** repositories that the account has starred, however hidden */
  readonly starredCount: number;
  /** ms */
  readonly createdAt: number;
}

/** All that is known of an account but its password. */
export interface Account extends PublicAccount {
  readonly isAdmin: boolean;
  readonly isActive: boolean;
  readonly isLoginProhibited: boolean;
  readonly mustChangePassword: boolean;
  readonly mayCreateOrganizations: boolean;
  readonly language: string;
  readonly theme: string;
  readonly diffViewStyle: string;
  readonly hidesActivity: boolean;
  readonly showsUnitHints: boolean;
  /** ms, up to an hour old; null: never signed in with a password */
  readonly lastLoginAt: number | null;
}

/** An account that makes commits. */
export interface CommittingAccount extends Account {
  /** its own address, or the one that hides it */
  readonly commitEmail: string;
}

/** What decides who a request comes from, read anew for each. */
export type SignInState = Pick<
  Account,
  'id' | 'kind' | 'name' | 'isAdmin' | 'isRestricted' | 'isActive' | 'isLoginProhibited'
>;

/** What a password is checked against. It stays inside `authentication/`. */
export interface SignInAccount extends SignInState {
  /** PHC string; null: no password is right */
  readonly passwordHash: string | null;
  /** raised whenever what was verified before must be verified again */
  readonly credentialVersion: number;
  readonly lastLoginAt: number | null;
}

/** Whether the account may do anything at all now. */
export function maySignIn(account: Pick<Account, 'isActive' | 'isLoginProhibited'>): boolean {
  return account.isActive && !account.isLoginProhibited;
}

export interface NewAccount {
  readonly name: string;
  /** '' for none */
  readonly email: string;
  /** null: nobody can sign in by password until one is set */
  readonly password: string | null;
  readonly fullName?: string | undefined;
  readonly visibility?: AccountVisibility | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly isRestricted?: boolean | undefined;
  readonly mustChangePassword?: boolean | undefined;
  /** ms; now where absent */
  readonly createdAt?: number | undefined;
}

/** What is absent stays as it is. */
export interface AccountEdit {
  readonly email?: string | undefined;
  readonly password?: string | undefined;
  readonly fullName?: string | undefined;
  readonly website?: string | undefined;
  readonly location?: string | undefined;
  readonly description?: string | undefined;
  readonly pronouns?: string | undefined;
  readonly visibility?: AccountVisibility | undefined;
  readonly keepsEmailPrivate?: boolean | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly isActive?: boolean | undefined;
  readonly isLoginProhibited?: boolean | undefined;
  readonly isRestricted?: boolean | undefined;
  readonly mustChangePassword?: boolean | undefined;
  readonly mayCreateOrganizations?: boolean | undefined;
  readonly hidesPronouns?: boolean | undefined;
  readonly hidesActivity?: boolean | undefined;
  readonly showsUnitHints?: boolean | undefined;
  readonly language?: string | undefined;
  readonly theme?: string | undefined;
  readonly diffViewStyle?: string | undefined;
}

/** One address of an account. Only the primary one was given by an administrator, and so is taken for verified. */
export interface AccountEmail {
  readonly accountId: number;
  readonly accountName: string;
  readonly email: string;
  readonly isPrimary: boolean;
}

export type AccountOrder =
  | 'oldest'
  | 'newest'
  | 'alphabetically'
  | 'reversealphabetically'
  | 'recentupdate'
  | 'leastupdate';

/** What is absent filters nothing. */
export interface AccountSearch {
  /** part of a name or a full name, whatever its case */
  readonly words?: string | undefined;
  readonly id?: number | undefined;
  readonly order?: AccountOrder | undefined;
}
