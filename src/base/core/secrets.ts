import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Letters of the secrets that the server gives to clients, by what they are. A letter never changes its meaning. */
const LETTERS = {
  'access-token': 'p',
  'app-password': 'a',
  'transfer-token': 't',
  'oauth-token': 'o',
  'refresh-token': 'r',
  'client-secret': 's',
} as const;
export type SecretKind = keyof typeof LETTERS;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 160 bits, and 40 characters with the prefix and the checksum: some clients check this length. */
const RANDOM_CHARS = 27;
const CHECKSUM_CHARS = 6;
/** Bytes from here on would make some digits more likely than others. */
const BYTE_END = 256 - (256 % DIGITS.length);
/** 256 bits, in base64url */
const OPAQUE_BYTES = 32;
const OPAQUE = /^[\w-]{43}$/;
const RANDOM_AND_CHECKSUM = new RegExp(`^[0-9A-Za-z]{${RANDOM_CHARS + CHECKSUM_CHARS}}$`);

/** Returns how secrets of a kind begin, by which scanners recognize them: `quirep_`. */
export function secretPrefix(kind: SecretKind): string {
  return `quire${LETTERS[kind]}_`;
}

/** Returns a secret: its prefix, random digits, and the CRC-32 of both, all digits in base 62. */
export function generateSecret(kind: SecretKind): string {
  const text = `${secretPrefix(kind)}${randomDigits()}`;
  return `${text}${checksumOf(text)}`;
}

/** Whether a text has the form and the checksum of a secret. Without a query, this excludes typing errors and guesses. */
export function isSecret(text: string, kinds: readonly SecretKind[]): boolean {
  const prefix = kinds.map(secretPrefix).find((each) => text.startsWith(each));
  if (prefix === undefined || !RANDOM_AND_CHECKSUM.test(text.slice(prefix.length))) return false;
  return checksumOf(text.slice(0, -CHECKSUM_CHARS)) === text.slice(-CHECKSUM_CHARS);
}

/** Returns a secret without a prefix, for cookies, and for codes and links that work once. */
export function generateOpaqueSecret(): string {
  return randomBytes(OPAQUE_BYTES).toString('base64url');
}

/** Whether a text has the form of an opaque secret. Without a query, this excludes most guesses. */
export function isOpaqueSecret(text: string): boolean {
  return OPAQUE.test(text);
}

/**
 * Returns SHA-256 as hex. No one can guess 160 or more random bits, so a plain digest protects them as well as a slow
 * one. The time of its index lookup depends on the digest, which reveals nothing about the secret.
 */
export function digestOfSecret(secret: string): string {
  return hash('sha256', secret);
}

function randomDigits(): string {
  let digits = '';
  while (digits.length < RANDOM_CHARS)
    for (const byte of randomBytes(RANDOM_CHARS))
      if (byte < BYTE_END && digits.length < RANDOM_CHARS) digits += DIGITS[byte % DIGITS.length];
  return digits;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_CHARS; place += 1) {
    digits = `${DIGITS[rest % DIGITS.length]}${digits}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
