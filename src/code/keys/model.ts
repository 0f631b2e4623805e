import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import type { OpenPgpPart } from './openpgp/model.ts';

/** An SSH public key in its parts. */
export interface NewSshKey {
  readonly type: string;
  /** SSH's binary form of the key, in base64 */
  readonly content: string;
  /** '' for none */
  readonly comment: string;
  /** as `ssh-keygen -l` prints it; different for all keys of the server */
  readonly fingerprint: string;
}

/** The SSH key of a user. */
export interface SshKey extends NewSshKey {
  readonly id: number;
  readonly account: PublicAccount;
  readonly title: string;
  /** whether its user has signed with it, or an administrator has added it */
  readonly isProved: boolean;
  /** ms */
  readonly createdAt: number;
  /** ms; null: never */
  readonly lastUsedAt: number | null;
}

/** A key as SSH sees it: whose it is. */
export interface OwnedKey {
  readonly keyId: number;
  /** null: the key of one or more deploy keys */
  readonly accountId: number | null;
  /** owner of the repository of its oldest deploy key; null: it is the key of a user, or of no repository any more */
  readonly repositoryOwnerId: number | null;
  /** account that has added its oldest deploy key; null: it is the key of a user, or nothing is known of who added it */
  readonly addedById: number | null;
  readonly type: string;
  /** SSH's binary form of the key, in base64 */
  readonly content: string;
  /** of the key, or of its oldest deploy key */
  readonly title: string;
  /** ms; null: never */
  readonly lastUsedAt: number | null;
}

/** A key that gives access to one repository, without an account. */
export interface DeployKey extends NewSshKey {
  readonly id: number;
  /** shared by the deploy keys of all repositories that have this key */
  readonly keyId: number;
  readonly title: string;
  readonly isReadOnly: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A deploy key and its repository, as a viewer sees it. */
export interface DeployKeyIn extends DeployKey {
  readonly permitted: PermittedRepository;
}

export interface DeployKeyFilter {
  readonly keyId: number | undefined;
  readonly fingerprint: string | undefined;
}

/** The OpenPGP key of a user, or one of its subkeys. */
export interface OpenPgpKeyPart extends OpenPgpPart {
  readonly id: number;
}

export interface OpenPgpKey extends OpenPgpKeyPart {
  readonly account: PublicAccount;
  readonly subkeys: readonly OpenPgpKeyPart[];
  /** in lower case */
  readonly emails: readonly string[];
  /** whether the user has proved to possess the key */
  readonly isProved: boolean;
}
