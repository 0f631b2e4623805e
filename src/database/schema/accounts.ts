import type { Generated } from 'kysely';

/** Written by `accounts/`. Users and organizations share one space of names, so they share one table. */
export interface AccountsTable {
  id: Generated<number>;
  kind: 'user' | 'organization';
  name: string;
  lower_name: string;
  full_name: string;
  /** '' for an account without one */
  email: string;
  /** null where there is no e-mail, so that the unique index lets several be without */
  lower_email: string | null;
  keeps_email_private: Generated<number>;
  /** null: no password sign-in */
  password_hash: string | null;
  /** Raised whenever an earlier sign-in must not count any more. */
  credential_version: Generated<number>;
  is_admin: Generated<number>;
  is_active: Generated<number>;
  is_login_prohibited: Generated<number>;
  is_restricted: Generated<number>;
  must_change_password: Generated<number>;
  visibility: Generated<'public' | 'limited' | 'private'>;
  website: Generated<string>;
  location: Generated<string>;
  description: Generated<string>;
  pronouns: Generated<string>;
  language: Generated<string>;
  created_at: number;
  updated_at: number;
  last_login_at: number | null;
}

export interface AccountTables {
  accounts: AccountsTable;
}
