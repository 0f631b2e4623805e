import { malformed } from '../../base/core/failure.ts';
import type { BlobDrafts, DraftContent, NewBlob } from '../../git/interface/writes.ts';
import type { ArrivingTexts } from '../../http/bodies/long-texts.ts';
import { Base64Decoder } from './base64.ts';
import { CONTENTS_LIMITS } from './limits.ts';

/** The content of one file to write, which has arrived. */
export interface FileContent {
  readonly number: number;
  /** whether it was written in the form that the contents have, such as base64 */
  readonly isValid: boolean;
}

/** Decodes one content, piece by piece. */
interface Decoder {
  /** @param text each character stands for one byte of its UTF-8 */
  write(text: string): Buffer;
  /** Returns the last bytes; undefined if the content is not valid. */
  end(): Buffer | undefined;
}

interface ContentsForm {
  /** by default, contents are standard base64 */
  readonly newDecoder?: () => Decoder;
  /** field of the body that lists the contents, for errors */
  readonly listedIn?: string;
}

/** The contents of the files that one request writes. They arrive one after the other. */
export class FileContents implements ArrivingTexts {
  readonly #drafts: BlobDrafts;
  readonly #newDecoder: () => Decoder;
  readonly #listedIn: string;
  /** whether each content was valid */
  readonly #whole: boolean[] = [];
  #decoder: Decoder | undefined;
  /** what the drafts do not have yet; null begins the next content */
  #pending: (Buffer | null)[] = [];

  constructor(drafts: BlobDrafts, form: ContentsForm = {}) {
    this.#drafts = drafts;
    this.#newDecoder = form.newDecoder ?? (() => new Base64Decoder());
    this.#listedIn = form.listedIn ?? 'Files';
  }

  /** @throws ForgeError `malformed` for too many */
  begin(): string {
    this.#end();
    const number = this.#whole.length;
    if (number >= CONTENTS_LIMITS.filesPerChangeMax)
      throw malformed(`[${this.#listedIn}]: MaxSize(${CONTENTS_LIMITS.filesPerChangeMax})`);
    this.#whole.push(false);
    this.#pending.push(null);
    this.#decoder = this.#newDecoder();
    return `${number}`;
  }

  write(text: string): void {
    if (this.#decoder !== undefined) this.#pending.push(this.#decoder.write(text));
  }

  /** Writes to the drafts what has arrived since the last call. */
  async flush(): Promise<void> {
    for (const bytes of this.#pending.splice(0)) {
      if (bytes === null) await this.#drafts.begin();
      else if (bytes.length > 0) await this.#drafts.write(bytes);
    }
  }

  /** Call this after the last text. */
  async finish(): Promise<void> {
    this.#end();
    await this.flush();
  }

  #end(): void {
    const last = this.#decoder?.end();
    if (last !== undefined) {
      this.#pending.push(last);
      this.#whole[this.#whole.length - 1] = true;
    }
    this.#decoder = undefined;
  }

  /**
   * Takes a content that arrives as bytes. Do not mix this with the other calls that write.
   *
   * @throws ForgeError `malformed` for too many; the error of `pieces`
   */
  async add(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<FileContent> {
    const place = this.begin();
    this.#decoder = undefined;
    await this.flush();
    for await (const piece of pieces) await this.#drafts.write(piece);
    this.#whole[Number(place)] = true;
    return this.at(place);
  }

  /** @param place what `begin` returned, as the parsed body has it */
  at(place: string): FileContent {
    const number = Number(place);
    return { number, isValid: this.#whole[number] ?? false };
  }

  /** Returns the bytes of a whole content, which are there until `discard`. */
  contentOf({ number }: FileContent): Promise<DraftContent> {
    return this.#drafts.content(number);
  }

  /** Runs `work` with whole contents. Call this once. */
  use<T>(contents: readonly FileContent[], work: (blobs: readonly NewBlob[]) => Promise<T>): Promise<T> {
    const numbers = contents.map(({ number }) => number);
    return this.#drafts.use(numbers, work);
  }

  discard(): Promise<void> {
    return this.#drafts.discard();
  }
}
