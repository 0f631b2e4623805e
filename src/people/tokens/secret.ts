import { hash, randomBytes } from 'node:crypto';

/** No one can guess 160 random bits, so a plain digest protects them as well as a slow one. */
const TOKEN_BYTES = 20;
const TOKEN = /^[0-9a-f]{40}$/;

export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

/** Whether the text has the form of a token. A password may have it, too. */
export function looksLikeToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Returns SHA-256 as hex. The time of its index lookup depends on the digest, which reveals nothing about the token.
 */
export function digestOf(token: string): string {
  return hash('sha256', token);
}
