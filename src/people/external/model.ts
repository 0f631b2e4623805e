/** A server of others at which users sign in with OpenID Connect, as the operator describes it. */
export interface ProviderSettings {
  /** in the addresses of its pages: lower-case letters, digits and hyphens */
  readonly name: string;
  readonly displayName: string;
  /** exactly as the provider names itself */
  readonly issuer: string;
  readonly clientId: string;
  /** '' for a public client */
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** claim from which names of new accounts are made */
  readonly nameClaim: string;
  /** claim with the groups of a user */
  readonly groupsClaim: string;
  /** the teams that members of groups are in, and other users of the provider are not in */
  readonly groupTeams: readonly GroupTeam[];
  /** whether `groupTeams` may name teams that own organizations */
  readonly allowOwners: boolean;
  /** whose members are site administrators, and other users of the provider are not; '' for none */
  readonly adminGroup: string;
  /** of which a user must be in one; empty: everyone may sign in */
  readonly requiredGroups: readonly string[];
  readonly createAccounts: AccountCreation;
  /** whether a user gets the existing account with the e-mail address that the provider has verified */
  readonly linkByEmail: boolean;
}

/** Whether users without an account get one: never; if they choose so on a page; or at once. */
export type AccountCreation = 'never' | 'ask' | 'automatic';
export const ACCOUNT_CREATIONS: readonly AccountCreation[] = ['never', 'ask', 'automatic'];

export interface GroupTeam {
  readonly group: string;
  readonly organization: string;
  readonly team: string;
}

/** What a provider says about a user. Nothing but issuer and subject identifies the user. */
export interface ExternalUser {
  readonly issuer: string;
  readonly subject: string;
  /** from which the name of a new account is made; '' for none */
  readonly name: string;
  readonly fullName: string;
  /** '' unless the provider has verified it */
  readonly email: string;
  /** those that the settings name */
  readonly groups: readonly string[];
}

/** An account of a user at a provider, with which the user signs in. */
export interface Identity {
  readonly id: number;
  readonly accountId: number;
  readonly issuer: string;
  readonly subject: string;
  /** as the provider called the user at the last sign-in */
  readonly name: string;
  /** ms */
  readonly createdAt: number;
  /** ms; last sign-in */
  readonly usedAt: number;
}

/** A user who has signed in at a provider, and whom no account here belongs to yet. */
export interface Newcomer {
  readonly provider: string;
  readonly user: ExternalUser;
  /** path to lead back to */
  readonly redirectTo: string;
}
