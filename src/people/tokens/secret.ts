import { digestOfSecret, generateSecret, isSecret, type SecretKind } from '../../base/core/secrets.ts';

/** Secrets that are rows of tokens. */
export type TokenSecretKind = Extract<SecretKind, 'access-token' | 'app-password'>;

const KINDS: readonly TokenSecretKind[] = ['access-token', 'app-password'];
/** Tokens of earlier versions, which stay valid. */
const EARLIER_TOKEN = /^[0-9a-f]{40}$/;

export const generateToken: (kind: TokenSecretKind) => string = generateSecret;

/** Whether the text has the form of a token. A password may have it, too. */
export function looksLikeToken(text: string): boolean {
  return isSecret(text, KINDS) || EARLIER_TOKEN.test(text);
}

export const digestOf: (token: string) => string = digestOfSecret;
