const NOTHING = Buffer.alloc(0);

/** Checks UTF-8 that arrives piece by piece, and passes its bytes on. */
export class Utf8Bytes {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #isValid = true;

  /**
   * Returns the bytes; no bytes once the text is invalid.
   *
   * @param text each character stands for one byte
   */
  write(text: string): Buffer {
    const bytes = Buffer.from(text, 'latin1');
    this.#check(() => this.#decoder.decode(bytes, { stream: true }));
    return this.#isValid ? bytes : NOTHING;
  }

  /** Returns an empty buffer; undefined if the bytes were not valid UTF-8. */
  end(): Buffer | undefined {
    this.#check(() => this.#decoder.decode());
    return this.#isValid ? NOTHING : undefined;
  }

  #check(decode: () => void): void {
    if (!this.#isValid) return;
    try {
      decode();
    } catch {
      this.#isValid = false;
    }
  }
}
