import { hash, randomBytes } from 'node:crypto';

/** No one can guess 256 random bits, so a plain digest protects them as well as a slow one. */
const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/** Returns a new secret for a cookie: base64url. */
export function generateSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function looksLikeSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Returns SHA-256 as hex. */
export function digestOf(secret: string): string {
  return hash('sha256', secret);
}
