/** A curve of NIST, by its names in each format. */
export interface NistCurve {
  /** type of SSH keys on the curve */
  readonly sshType: `ecdsa-sha2-${string}`;
  readonly ssh: string;
  /** name in the OpenPGP library */
  readonly openPgp: string;
  readonly jwk: string;
  /** of a coordinate, a private number and each number of a signature */
  readonly numberBytes: number;
  /** with which SSH signs */
  readonly digest: string;
}

export const P256 = {
  sshType: 'ecdsa-sha2-nistp256',
  ssh: 'nistp256',
  openPgp: 'nistP256',
  jwk: 'P-256',
  numberBytes: 32,
  digest: 'sha256',
} as const satisfies NistCurve;

const P384 = {
  sshType: 'ecdsa-sha2-nistp384',
  ssh: 'nistp384',
  openPgp: 'nistP384',
  jwk: 'P-384',
  numberBytes: 48,
  digest: 'sha384',
} as const satisfies NistCurve;

const P521 = {
  sshType: 'ecdsa-sha2-nistp521',
  ssh: 'nistp521',
  openPgp: 'nistP521',
  jwk: 'P-521',
  numberBytes: 66,
  digest: 'sha512',
} as const satisfies NistCurve;

export const NIST_CURVES = [P256, P384, P521] as const;

/** Bytes of a point and of a private number. */
export const ED25519_BYTES = 32;

/** Why a key of another algorithm or on another curve cannot be used. */
export const OTHER_ALGORITHM = 'it is not an RSA, Ed25519, or ECDSA key on a NIST curve';
