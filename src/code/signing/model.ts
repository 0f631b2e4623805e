import type { SignCommit } from '../../git/interface/writes.ts';

/** A public key of this server. */
export interface ServerKey {
  readonly kind: 'ssh' | 'openpgp';
  /** as signatures name it: its fingerprint (SSH), or the ids of the key and its subkeys (OpenPGP) */
  readonly names: readonly string[];
  /** as programs import it */
  readonly text: string;
  /** the whole key in its binary form */
  readonly content: Buffer;
}

/** The key with which the server signs. */
export interface SigningKey extends ServerKey {
  readonly sign: SignCommit;
  /** ms; null: never. Later signatures do not count. */
  readonly expiresAt: number | null;
}

/** The keys of this server. */
export interface ServerKeys {
  /** whom verified signatures of the server name */
  readonly signer: { readonly name: string; readonly email: string };
  /** null: the server does not sign */
  readonly key: SigningKey | null;
  /** with which the server signed before */
  readonly formerKeys: readonly ServerKey[];
}
