import { createHash } from 'node:crypto';
import { SNIFF_BYTES, sniffType } from '../../../code/contents/sniff.ts';
import type { ArrivingBytes } from '../../../hosting/quota/model.ts';
import type { AttachmentContent } from '../models/attachments.ts';

/** Passes the bytes of a file on, and meanwhile determines their size, hash and type. */
export class ContentReading implements AsyncIterable<Buffer> {
  readonly #bytes: AsyncIterable<Buffer>;
  readonly #arriving: ArrivingBytes;
  readonly #hash = createHash('sha256');
  #start = Buffer.alloc(0);
  #sizeBytes = 0;

  constructor(bytes: AsyncIterable<Buffer>, arriving: ArrivingBytes) {
    this.#bytes = bytes;
    this.#arriving = arriving;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    for await (const chunk of this.#bytes) {
      this.#arriving.add(chunk.length);
      this.#hash.update(chunk);
      this.#sizeBytes += chunk.length;
      if (this.#start.length < SNIFF_BYTES)
        this.#start = Buffer.concat([this.#start, chunk.subarray(0, SNIFF_BYTES - this.#start.length)]);
      yield chunk;
    }
  }

  /** Call it once, after all bytes have been read. */
  async content(): Promise<AttachmentContent> {
    const sizeBytes = this.#sizeBytes;
    const type = await sniffType(this.#start, sizeBytes);
    return { type, sha256: this.#hash.digest('hex'), sizeBytes };
  }
}
