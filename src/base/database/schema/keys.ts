import type { Generated } from 'kysely';

/** Written by `keys/`. Each key of the server once: that of a user, or one that repositories have as a deploy key. */
export interface SshKeysTable {
  id: Generated<number>;
  /** null for a deploy key */
  account_id: number | null;
  /** as `ssh-keygen -l` prints it */
  fingerprint: string;
  type: string;
  /** SSH's binary form, in base64 */
  content: string;
  comment: string;
  /** '' for a deploy key */
  title: string;
  /** whether its user has signed with it, or an administrator has added it */
  is_proved: Generated<number>;
  created_at: number;
  last_used_at: number | null;
}

/** Written by `keys/`. */
export interface DeployKeysTable {
  id: Generated<number>;
  repository_id: number;
  ssh_key_id: number;
  title: string;
  is_read_only: number;
  created_at: number;
  last_used_at: number | null;
  /** null: the account was deleted, or added the key before this was recorded */
  added_by: number | null;
}

/** Written by `keys/`. The primary OpenPGP keys of users, and their subkeys. */
export interface OpenPgpKeysTable {
  id: Generated<number>;
  account_id: number;
  /** null for a primary key */
  primary_id: number | null;
  /** 16 hex digits in upper case */
  key_id: string;
  fingerprint: string;
  /** base64: of a primary key the whole key, of a subkey its packet */
  content: string;
  can_sign: number;
  can_certify: number;
  can_encrypt_communication: number;
  can_encrypt_storage: number;
  /** whether the user has proved to possess the key */
  is_proved: number;
  created_at: number;
  /** null: never */
  expires_at: number | null;
}

/** Written by `keys/`. */
export interface OpenPgpKeyEmailsTable {
  key_id: number;
  lower_email: string;
}

/** Written by `ssh/`. One key of each type, which all processes of the database share. */
export interface SshHostKeysTable {
  type: string;
  /** private key as PEM, encrypted */
  sealed_key: string;
  created_at: number;
}

export interface KeyTables {
  ssh_keys: SshKeysTable;
  deploy_keys: DeployKeysTable;
  openpgp_keys: OpenPgpKeysTable;
  openpgp_key_emails: OpenPgpKeyEmailsTable;
  ssh_host_keys: SshHostKeysTable;
}
