import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Addresses } from '../../http/app.ts';

/** Path of the pages that end mails. No account can have the name `-`. */
export const UNSUBSCRIBE_PATH = '/-/mail/unsubscribe/';
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 16;
const TOKEN = /^(\d{1,16})\.(\d{1,16})\.([\w-]+)$/;

/** Which mails a user no longer wants. */
export interface Unsubscribe {
  readonly accountId: number;
  /** null: all mails */
  readonly issueId: number | null;
}

/** Makes the addresses in mails that end these mails. They need no sign-in, and never expire: old mails have them. */
export class UnsubscribeAddresses {
  readonly #key: Buffer;
  readonly #addresses: Addresses;

  /** @param secret of this server */
  constructor(secret: Uint8Array, addresses: Addresses) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'addresses that end mails', KEY_BYTES));
    this.#addresses = addresses;
  }

  of({ accountId, issueId }: Unsubscribe): string {
    const subject = `${accountId}.${issueId ?? 0}`;
    const token = `${subject}.${this.#signatureOf(subject).toString('base64url')}`;
    return `${this.#addresses.baseUrl}${UNSUBSCRIBE_PATH}${token}`;
  }

  /** Returns what the token of an address ends; undefined if the server has not made it. */
  read(token: string): Unsubscribe | undefined {
    const [, accountId = '', issueId = '', signature = ''] = TOKEN.exec(token) ?? [];
    const expected = this.#signatureOf(`${accountId}.${issueId}`);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return { accountId: Number(accountId), issueId: issueId === '0' ? null : Number(issueId) };
  }

  #signatureOf(subject: string): Buffer {
    return createHmac('sha256', this.#key).update(subject).digest().subarray(0, SIGNATURE_BYTES);
  }
}
