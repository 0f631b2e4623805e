import { createMessage, generateKey, type PrivateKey, type PublicKey, sign } from 'openpgp';

/** An OpenPGP key pair, made by the library. */
export interface OpenPgpPair {
  readonly privateKey: PrivateKey;
  readonly publicKey: PublicKey;
  readonly armored: string;
}

export interface PairOptions {
  readonly emails?: readonly string[];
  /** the key signs with a subkey */
  readonly hasSigningSubkey?: boolean;
  /** default: now */
  readonly createdAt?: Date;
  /** s; 0: never */
  readonly expiresAfter?: number;
}

export async function newOpenPgpPair(options: PairOptions = {}): Promise<OpenPgpPair> {
  const { emails = ['ada@example.org'], hasSigningSubkey = false, createdAt, expiresAfter = 0 } = options;
  const { privateKey, publicKey } = await generateKey({
    userIDs: emails.map((email) => ({ name: 'Ada', email })),
    format: 'object',
    keyExpirationTime: expiresAfter,
    // A second before now, because a signature may not be older than its key.
    date: createdAt ?? new Date(Date.now() - 1_000),
    ...(hasSigningSubkey ? { subkeys: [{ sign: true }] } : {}),
  });
  return { privateKey, publicKey, armored: publicKey.armor() };
}

/** Returns a detached signature of bytes. */
export async function signDetached(
  { privateKey }: Pick<OpenPgpPair, 'privateKey'>,
  bytes: Uint8Array | string,
  options: { readonly at?: Date } = {},
): Promise<string> {
  const signature = await sign({
    message: await createMessage({ binary: Buffer.from(bytes as Uint8Array) }),
    signingKeys: privateKey,
    detached: true,
    format: 'armored',
    ...(options.at === undefined ? {} : { date: options.at }),
  });
  return String(signature);
}
