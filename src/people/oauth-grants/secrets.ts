import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { digestOfSecret, generateSecret, isSecret } from '../../base/core/secrets.ts';

const TAIL_BYTES = 20;
const TAIL = /^[\w-]{27}$/;

export function generateAccessToken(): string {
  return generateSecret('oauth-token');
}

export function looksLikeAccessToken(text: string): boolean {
  return isSecret(text, ['oauth-token']);
}

/** A refresh token: a part that all tokens of its grant share, a period, and a part of its own. */
export interface RefreshToken {
  readonly text: string;
  readonly familyDigest: string;
  /** of the whole token */
  readonly digest: string;
}

/** @param family of an earlier token of the grant; absent: a new one */
export function generateRefreshToken(family: string = generateSecret('refresh-token')): RefreshToken {
  return refreshTokenOf(family, randomBytes(TAIL_BYTES).toString('base64url'));
}

/** Reads a refresh token, and its family; undefined for a text of another form. */
export function readRefreshToken(
  text: string,
): { readonly token: RefreshToken; readonly family: string } | undefined {
  const [family = '', tail = '', ...rest] = text.split('.');
  if (!isSecret(family, ['refresh-token']) || !TAIL.test(tail) || rest.length > 0) return undefined;
  return { token: refreshTokenOf(family, tail), family };
}

function refreshTokenOf(family: string, tail: string): RefreshToken {
  const text = `${family}.${tail}`;
  return { text, familyDigest: digestOfSecret(family), digest: digestOfSecret(text) };
}

/** How a client proves that it has begun a request: RFC 7636. */
export type ChallengeMethod = 'plain' | 'S256';

/** A challenge: RFC 7636, section 4.2. */
const CHALLENGE = /^[\w.~-]{43,128}$/;
/** A verifier. Older versions of git-credential-oauth send base64 with all of its letters, which the RFC does not allow. */
const VERIFIER = /^[\w.~+/=-]{43,128}$/;

export function looksLikeChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

/** Whether a verifier is the one of a challenge. Without a challenge, there must be none. */
export function isVerified(
  verifier: string | undefined,
  { challenge, method }: { readonly challenge: string; readonly method: ChallengeMethod | '' },
): boolean {
  // A verifier without a challenge is a sign that someone has removed the challenge: RFC 9700, section 4.8.2.
  if (method === '' || verifier === undefined) return method === '' && verifier === undefined;
  if (!VERIFIER.test(verifier)) return false;
  const found = Buffer.from(method === 'S256' ? hash('sha256', verifier, 'base64url') : verifier);
  const expected = Buffer.from(challenge);
  return found.length === expected.length && timingSafeEqual(found, expected);
}
