import type { Generated } from 'kysely';

/** Written by `accounts/`. Users and organizations share one namespace, so they share one table. */
export interface AccountsTable {
  id: Generated<number>;
  kind: 'user' | 'organization';
  name: string;
  lower_name: string;
  full_name: string;
  /** '' for an account without one */
  email: string;
  /** null without an email address, because the unique index allows several nulls */
  lower_email: string | null;
  keeps_email_private: Generated<number>;
  /** null: no password sign-in */
  password_hash: string | null;
  /** raised whenever earlier sign-ins become invalid */
  credential_version: Generated<number>;
  is_admin: Generated<number>;
  is_active: Generated<number>;
  is_login_prohibited: Generated<number>;
  is_restricted: Generated<number>;
  must_change_password: Generated<number>;
  /** 1: a password alone does not sign in */
  has_second_factor: Generated<number>;
  /** 1: the user must set up a second factor before anything else, because an organization requires it */
  needs_second_factor: Generated<number>;
  may_create_organizations: Generated<number>;
  visibility: Generated<'public' | 'limited' | 'private'>;
  website: Generated<string>;
  location: Generated<string>;
  description: Generated<string>;
  pronouns: Generated<string>;
  language: Generated<string>;
  hides_activity: Generated<number>;
  /** from callers who are not signed in */
  hides_pronouns: Generated<number>;
  shows_unit_hints: Generated<number>;
  theme: Generated<string>;
  diff_view_style: Generated<string>;
  /** number of repositories that the account has starred */
  starred_count: Generated<number>;
  /** number of accounts that follow this one */
  followers_count: Generated<number>;
  /** number of accounts that this one follows */
  following_count: Generated<number>;
  /** name of the uploaded picture; '' without one */
  avatar: Generated<string>;
  created_at: number;
  updated_at: number;
  last_login_at: number | null;
}

/** Written by `accounts/`. All addresses of all users. Several users may claim one, and one may have it as primary. */
export interface AccountEmailsTable {
  lower_email: string;
  account_id: number;
  email: string;
  /** the address that `accounts` also has */
  is_primary: number;
  /** 1: the user has proved it, or an administrator has set it; of one account at most */
  is_verified: Generated<number>;
  created_at: number;
}

/** Written by `accounts/`. Former names of accounts. A row is deleted when another account takes the name. */
export interface AccountRedirectsTable {
  lower_name: string;
  account_id: number;
  created_at: number;
}

export interface AccountTables {
  accounts: AccountsTable;
  account_emails: AccountEmailsTable;
  account_redirects: AccountRedirectsTable;
}
