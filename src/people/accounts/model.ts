export type AccountKind = 'user' | 'organization';
export type AccountVisibility = 'public' | 'limited' | 'private';

/** The fields of an account that others may see. Presenters may have to hide the e-mail address and the pronouns. */
export interface PublicAccount {
  readonly id: number;
  readonly kind: AccountKind;
  /** in its chosen spelling; matched in any case */
  readonly name: string;
  readonly fullName: string;
  /** '' for none */
  readonly email: string;
  readonly keepsEmailPrivate: boolean;
  /**
   * Who sees the account. public: everyone; limited: signed-in users; private: the account itself, site administrators
   * and users who share an organization with it (for an organization: its members).
   */
  readonly visibility: AccountVisibility;
  readonly website: string;
  readonly location: string;
  readonly description: string;
  readonly pronouns: string;
  /** from callers who are not signed in */
  readonly hidesPronouns: boolean;
  readonly isRestricted: boolean;
  /** number of starred repositories, including hidden ones */
  readonly starredCount: number;
  /** number of accounts that follow this one, including hidden ones */
  readonly followersCount: number;
  /** number of accounts that this one follows, including hidden ones */
  readonly followingCount: number;
  /** name of the uploaded picture, hex; '' without one */
  readonly avatar: string;
  /** ms */
  readonly createdAt: number;
}

/** An account with the fields that its records show only to itself and to site administrators. */
export interface ShownAccount extends PublicAccount {
  readonly isAdmin: boolean;
  readonly isActive: boolean;
  readonly isLoginProhibited: boolean;
  readonly language: string;
  /** ms, up to an hour old; null: never signed in with a password */
  readonly lastLoginAt: number | null;
}

/** All fields of an account except its password. */
export interface Account extends ShownAccount {
  readonly mustChangePassword: boolean;
  readonly mayCreateOrganizations: boolean;
  readonly theme: string;
  readonly diffViewStyle: string;
  readonly hidesActivity: boolean;
  readonly showsUnitHints: boolean;
}

/** An account as the author of commits. */
export interface CommittingAccount extends Account {
  /** its e-mail address, or a noreply address that hides it */
  readonly commitEmail: string;
}

/** The fields that decide whether an account may sign in. Read for each request. */
export interface SignInState
  extends Pick<
    Account,
    | 'id'
    | 'kind'
    | 'name'
    | 'isAdmin'
    | 'isRestricted'
    | 'isActive'
    | 'isLoginProhibited'
    | 'mustChangePassword'
  > {
  /** A new password raises it, and so does disabling the account: all that began before ends. */
  readonly credentialVersion: number;
  /** The password alone does not sign in. */
  readonly hasSecondFactor: boolean;
  /** An administrator has removed the second factor that an organization of the user requires. */
  readonly needsSecondFactor: boolean;
}

/** `credentialVersion` of an account that was just created. */
export const FIRST_CREDENTIAL_VERSION = 1;

/** An account with its password hash. Must not leave `authentication/`. */
export interface SignInAccount extends SignInState {
  /** PHC string; null: every password is wrong */
  readonly passwordHash: string | null;
  readonly lastLoginAt: number | null;
}

/** Whether the account may sign in. */
export function maySignIn(account: Pick<Account, 'isActive' | 'isLoginProhibited'>): boolean {
  return account.isActive && !account.isLoginProhibited;
}

export interface NewAccount {
  readonly name: string;
  /** '' for none */
  readonly email: string;
  /** null: no sign-in with a password until one is set */
  readonly password: string | null;
  readonly fullName?: string | undefined;
  readonly visibility?: AccountVisibility | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly isRestricted?: boolean | undefined;
  readonly mustChangePassword?: boolean | undefined;
  /** false: it cannot sign in until an administrator activates it, and its address is not verified; default: true */
  readonly isActive?: boolean | undefined;
  /** ms; default: now */
  readonly createdAt?: number | undefined;
}

/** A change of an account. Absent fields stay unchanged. */
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

/** One e-mail address of an account. */
export interface AccountEmail {
  readonly accountId: number;
  readonly accountName: string;
  readonly email: string;
  readonly isPrimary: boolean;
  /** The user has proved it, or an administrator has set it. An address is verified for one account at most. */
  readonly isVerified: boolean;
}

export type AccountOrder =
  | 'oldest'
  | 'newest'
  | 'alphabetically'
  | 'reversealphabetically'
  | 'recentupdate'
  | 'leastupdate';

/** Filters of an account search. Absent ones match every account. */
export interface AccountSearch {
  /** part of a name or a full name, in any case */
  readonly words?: string | undefined;
  readonly id?: number | undefined;
  readonly hasSecondFactor?: boolean | undefined;
  readonly order?: AccountOrder | undefined;
}
