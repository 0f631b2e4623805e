import { createCipheriv, createDecipheriv, hkdfSync, randomInt } from 'node:crypto';
import { invalid } from '../../base/core/failure.ts';

const KEY_BYTES = 32;
const BLOCK_BYTES = 16;
const POSITION_BYTES = 6;
const SALT_AT = POSITION_BYTES;
const SALTS = 0x10000;
/** Zeros from here on show that the server has made the cursor. */
const PROOF_AT = SALT_AT + 2;

/**
 * Makes cursors of positions in the event log. A cursor is one encrypted block, because positions show how many events the
 * caller does not see.
 */
export class Cursors {
  readonly #key: Buffer;

  /** @param secret of this server */
  constructor(secret: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'cursors of the event feed', KEY_BYTES));
  }

  /** Returns the cursor of an event, always the same: it is also the id of the event. */
  ofEvent(position: number): string {
    return this.#sealed(position, 0);
  }

  /** Returns a cursor that is another one each time, so that it does not show whether there were hidden events. */
  ofPage(position: number): string {
    return this.#sealed(position, randomInt(1, SALTS));
  }

  /** @throws ForgeError `invalid` */
  read(cursor: string): number {
    const sealed = Buffer.from(cursor, 'base64url');
    const block = sealed.length === BLOCK_BYTES ? this.#opened(sealed) : undefined;
    if (block?.subarray(PROOF_AT).some((byte) => byte !== 0) !== false)
      throw invalid('unknown cursor: leave it out to read from the beginning');
    return block.readUIntBE(0, POSITION_BYTES);
  }

  #sealed(position: number, salt: number): string {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeUIntBE(position, 0, POSITION_BYTES);
    block.writeUInt16BE(salt, SALT_AT);
    const cipher = createCipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
  }

  #opened(sealed: Buffer): Buffer {
    const decipher = createDecipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false);
    return Buffer.concat([decipher.update(sealed), decipher.final()]);
  }
}
