import { Base64Decoder } from '../core/base64.ts';
import { malformed } from '../core/failure.ts';
import type { BlobDraft, NewBlob } from '../git/model.ts';
import type { LongText } from '../http/long-member.ts';

/** The content of a file to write, which arrives as base64. */
export class FileContent implements LongText {
  readonly #draft: BlobDraft;
  #decoder = new Base64Decoder();
  #isRestarted = false;
  #decoded: Buffer[] = [];

  constructor(draft: BlobDraft) {
    this.#draft = draft;
  }

  restart(): void {
    this.#decoder = new Base64Decoder();
    this.#isRestarted = true;
    this.#decoded = [];
  }

  write(text: string): void {
    this.#decoded.push(this.#decoder.write(text));
  }

  /** Passes on to the draft what has arrived since the last call. */
  async settle(): Promise<void> {
    if (this.#isRestarted) await this.#draft.restart();
    this.#isRestarted = false;
    for (const bytes of this.#decoded.splice(0)) await this.#draft.write(bytes);
  }

  /** @throws ForgeError `malformed` */
  requireBase64(): void {
    if (this.#decoder.end() === undefined) throw malformed('[Content]: not standard base64');
  }

  /** Runs `work` with the whole content. Call this once. */
  async use<T>(work: (blob: NewBlob) => Promise<T>): Promise<T> {
    await this.#draft.write(this.#decoder.end() ?? Buffer.alloc(0));
    return this.#draft.use(work);
  }

  discard(): Promise<void> {
    return this.#draft.discard();
  }
}
