import { createHash, randomBytes } from 'node:crypto';

/** 160 random bits: nobody guesses one, so a plain digest keeps them as well as a slow one. */
const TOKEN_BYTES = 20;
const TOKEN = /^[0-9a-f]{40}$/;

export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

/** Whether the text has the form of a token. A password may have it, too. */
export function looksLikeToken(text: string): boolean {
  return TOKEN.test(text);
}

/** SHA-256, hex. It is looked up by an index: how long that takes tells something of the digest, nothing of the token. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
