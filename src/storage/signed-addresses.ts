import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { currentTimeMs } from '../base/core/time/clock.ts';
import { downloadHeaders } from './download-headers.ts';
import type { SignedRequest } from './model.ts';

/** Path of all signed addresses. No account can have the name `-`. */
export const SIGNED_PATH = '/-/objects/';
const KEY_BYTES = 32;

/** What a request to a signed address may get: everything that its signature covers. */
export interface SignedDownload {
  readonly disposition: string;
  readonly type: string;
}

export interface SignedQuery {
  readonly expires?: string;
  readonly disposition?: string;
  readonly type?: string;
  readonly signature?: string;
}

/**
 * Signs addresses at which this server itself hands out objects without credentials, and checks them. An address is
 * valid for one method and one key, until it expires.
 */
export class SignedAddresses {
  readonly #key: Buffer;
  readonly #site: { readonly baseUrl: string };

  /**
   * @param secret of this server
   * @param site its base URL, which may become known only after the start
   */
  constructor(secret: Uint8Array, site: { readonly baseUrl: string }) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'signed addresses of objects', KEY_BYTES));
    this.#site = site;
  }

  sign(key: string, request: SignedRequest): string {
    const expires = `${currentTimeMs() + request.lifetimeMs}`;
    const { disposition, type } = downloadHeaders(request);
    const signature = this.#signatureOf([request.method, key, expires, disposition, type]).toString(
      'base64url',
    );
    const query = new URLSearchParams({ expires, disposition, type, signature });
    return `${this.#site.baseUrl}${SIGNED_PATH}${key}?${query}`;
  }

  /** Returns what the address grants; undefined if it is forged or has expired. */
  check(method: string, key: string, query: SignedQuery): SignedDownload | undefined {
    const { expires = '', disposition = '', type = '', signature = '' } = query;
    const expected = this.#signatureOf([method, key, expires, disposition, type]);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return currentTimeMs() < Number(expires) ? { disposition, type } : undefined;
  }

  #signatureOf(parts: readonly string[]): Buffer {
    // JSON keeps the parts apart.
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest();
  }
}
