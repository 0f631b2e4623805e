const ALPHABET = /^[A-Za-z0-9+/]*$/;
const LAST_FOUR = /^[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/](?:=|[A-Za-z0-9+/]))$/;
const LINE_ENDS = /[\r\n]+/g;
const NOTHING = Buffer.alloc(0);

/** Decodes standard base64 with padding, piece by piece. Ignores line ends and rejects everything else. */
export class Base64Decoder {
  /** the last one to four characters: only the end of the text shows whether they may be padding */
  #rest = '';
  #hasReturn = false;
  #hasLineFeed = false;
  #isValid = true;

  /** Returns the bytes that are certain by now; nothing once the text is invalid. */
  write(text: string): Buffer {
    if (!this.#isValid) return NOTHING;
    const joined = this.#rest + this.#withoutLineEnds(text);
    const restFrom = joined.length - (joined.length % 4 || Math.min(joined.length, 4));
    const certain = joined.slice(0, restFrom);
    this.#rest = joined.slice(restFrom);
    this.#isValid = ALPHABET.test(certain);
    return this.#isValid ? Buffer.from(certain, 'base64') : NOTHING;
  }

  /** Returns the last bytes; undefined if the text was not standard base64. */
  end(): Buffer | undefined {
    const isWhole = this.#rest === '' || LAST_FOUR.test(this.#rest);
    const isReturnAlone = this.#hasReturn && !this.#hasLineFeed;
    return this.#isValid && isWhole && !isReturnAlone ? Buffer.from(this.#rest, 'base64') : undefined;
  }

  #withoutLineEnds(text: string): string {
    this.#hasReturn ||= text.includes('\r');
    this.#hasLineFeed ||= text.includes('\n');
    return this.#hasReturn || this.#hasLineFeed ? text.replace(LINE_ENDS, '') : text;
  }
}
