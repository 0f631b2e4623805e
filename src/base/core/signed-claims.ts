import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { currentTimeMs } from './time/clock.ts';

const KEY_BYTES = 32;

/**
 * Signs statements of this server that others carry for a while, so that it stores nothing until they come back. Each
 * purpose has a key of its own, so a text that was signed for one purpose is worth nothing for another.
 */
export class SignedClaims<Claims extends { readonly expiresAt: number }> {
  readonly #key: Buffer;

  /** @param secret of this server */
  constructor(secret: Uint8Array, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
  }

  /** Returns base64url with a dot in it. It hides nothing. */
  sign(claims: Claims): string {
    const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `${text}.${this.#signatureOf(text).toString('base64url')}`;
  }

  /** Returns what was signed; undefined if the text is forged or has expired. */
  read(signed: string): Claims | undefined {
    const [text = '', signature = '', ...rest] = signed.split('.');
    const expected = this.#signatureOf(text);
    const given = Buffer.from(signature, 'base64url');
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
      return undefined;
    const claims: Claims = JSON.parse(Buffer.from(text, 'base64url').toString());
    return currentTimeMs() < claims.expiresAt ? claims : undefined;
  }

  #signatureOf(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
