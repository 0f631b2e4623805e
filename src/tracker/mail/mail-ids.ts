import { createHmac, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;
const ID_CHARS = 24;

/** Makes ids of mails, the same for each attempt. They show nothing of the numbers that they are made from. */
export class MailIds {
  readonly #key: Buffer;

  /** @param secret of this server */
  constructor(secret: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'ids of mails', KEY_BYTES));
  }

  /** @param subject names the mail, such as `event 7` */
  of(subject: string): string {
    return createHmac('sha256', this.#key).update(subject).digest('hex').slice(0, ID_CHARS);
  }
}
