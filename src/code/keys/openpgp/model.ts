import type { JsonWebKey } from 'node:crypto';
import type { UnusableKeyError } from '../unusable-key.ts';

/** A part of an OpenPGP key: the primary key or a subkey. */
export interface OpenPgpPart {
  /** 16 hex digits in upper case, as signatures name the key */
  readonly keyId: string;
  /** hex digits in lower case */
  readonly fingerprint: string;
  /** a packet in base64; of a primary key: the whole key without signatures of others */
  readonly content: string;
  readonly canSign: boolean;
  readonly canCertify: boolean;
  readonly canEncryptCommunication: boolean;
  readonly canEncryptStorage: boolean;
  /** ms */
  readonly createdAt: number;
  /** ms; null: never */
  readonly expiresAt: number | null;
}

/** An OpenPGP key as its text has it. Only what its owner has signed with it counts. */
export interface ReadOpenPgpKey extends OpenPgpPart {
  readonly subkeys: readonly OpenPgpPart[];
  /** of user ids that are not revoked, in lower case, without repetitions */
  readonly emails: readonly string[];
}

/** The part of a private key that signs, and the public key as a whole. */
export interface OpenPgpPrivateKey {
  readonly publicKey: ReadOpenPgpKey;
  /** of the part, in lower case */
  readonly fingerprint: string;
  /** number of the algorithm, as in signatures */
  readonly algorithm: number;
  /** ms, of the part or the key as a whole; null: never */
  readonly expiresAt: number | null;
  /** the private numbers, not encrypted */
  readonly jwk: JsonWebKey;
}

/** A signature over bytes, and the key that may have made it. */
export interface SignatureClaim {
  /** the whole key in its binary form */
  readonly key: Uint8Array;
  readonly signature: Uint8Array;
  readonly payload: Uint8Array;
}

/** Work for the thread that runs the library. */
export type OpenPgpWork =
  | { readonly kind: 'read-key'; readonly armored: string }
  | { readonly kind: 'read-private-key'; readonly armored: string; readonly passphrase: string }
  | { readonly kind: 'verify'; readonly claim: SignatureClaim };

export type OpenPgpAnswer =
  | { readonly key: ReadOpenPgpKey }
  | { readonly privateKey: OpenPgpPrivateKey }
  | { readonly isValid: boolean }
  | Pick<UnusableKeyError, 'why' | 'needs'>;
