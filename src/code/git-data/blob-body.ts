import type { BlobDrafts, NewBlob } from '../../git/interface/writes.ts';
import type { ArrivingTexts } from '../../http/bodies/long-texts.ts';
import { FileContents } from '../contents/file-contents.ts';
import { Utf8Bytes } from './utf8-bytes.ts';

export type BlobEncoding = 'utf-8' | 'base64';

/**
 * The content of one new blob. The encoding may come after the content in the body, so both readings of the content are
 * kept until the body is complete.
 */
export class EncodedContent implements ArrivingTexts {
  readonly #readings: Record<BlobEncoding, FileContents>;

  constructor(newDrafts: () => BlobDrafts) {
    this.#readings = {
      base64: new FileContents(newDrafts()),
      'utf-8': new FileContents(newDrafts(), { newDecoder: () => new Utf8Bytes() }),
    };
  }

  begin(): string {
    this.#readings.base64.begin();
    return this.#readings['utf-8'].begin();
  }

  write(text: string): void {
    for (const reading of this.#both()) reading.write(text);
  }

  async flush(): Promise<void> {
    for (const reading of this.#both()) await reading.flush();
  }

  async finish(): Promise<void> {
    for (const reading of this.#both()) await reading.finish();
  }

  async discard(): Promise<void> {
    for (const reading of this.#both()) await reading.discard();
  }

  /** @param place what the parsed body has instead of the content */
  isValid(place: string, encoding: BlobEncoding): boolean {
    return this.#readings[encoding].at(place).isValid;
  }

  /** Runs `work` with the blob. Call this once. */
  use<T>(place: string, encoding: BlobEncoding, work: (blob: NewBlob) => Promise<T>): Promise<T> {
    const reading = this.#readings[encoding];
    return reading.use([reading.at(place)], ([blob = new Uint8Array()]) => work(blob));
  }

  #both(): readonly FileContents[] {
    return Object.values(this.#readings);
  }
}
