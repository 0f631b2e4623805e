const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const OBJECT = 0x7b;
/** White space, and the three bytes of a byte order mark. */
const BEFORE_OBJECT = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
/** In a string of JSON, control characters are escaped. */
const CONTROL = /[\u0000-\u001f]/;
/** More than a short name needs, with every character escaped. */
const KEY_BYTES_MAX = 256;

/** Receives the text of the long member while it arrives. */
export interface LongText {
  /** Called before each text. With duplicate members, the last one counts, as in `JSON.parse`. */
  restart(): void;
  /** @param text unescaped; a character beyond ASCII arrives as other characters beyond ASCII */
  write(text: string): void;
}

/**
 * Cuts one long string out of a JSON object while its bytes arrive: the value of the member `name`. The rest, with an
 * empty string in its place, is valid JSON exactly if the whole was.
 */
export class LongMember {
  readonly #name: string;
  readonly #text: LongText;
  readonly #restBytesMax: number;
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  #place: 'start' | 'between' | 'key' | 'string' | 'long' | 'end' = 'start';
  #depth = 0;
  #expectsKey = true;
  /** the last key of the object, with its escapes */
  #key = '';
  /** the started escape in a string */
  #escape = '';

  /** @param options.restBytesMax of everything but the long text */
  constructor(name: string, text: LongText, options: { restBytesMax: number }) {
    this.#name = name;
    this.#text = text;
    this.#restBytesMax = options.restBytesMax;
  }

  /** @returns false if the rest is too large */
  push(chunk: Buffer): boolean {
    let keptFrom = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#place === 'long') {
        at = this.#readLong(chunk, at);
        keptFrom = at;
        if (at < chunk.length) this.#place = 'string';
        continue;
      }
      this.#step(chunk[at] ?? 0);
      at += 1;
      if (this.#isInLong()) this.#keep(chunk.subarray(keptFrom, at));
    }
    if (!this.#isInLong()) this.#keep(chunk.subarray(keptFrom));
    return this.#restBytes <= this.#restBytesMax;
  }

  /** Returns the JSON with an empty string in place of the long one. */
  rest(): string {
    return Buffer.concat(this.#rest).toString();
  }

  /** A method, so that the compiler does not assume that the place is still the one that it compared before. */
  #isInLong(): boolean {
    return this.#place === 'long';
  }

  #keep(bytes: Buffer): void {
    this.#restBytes += bytes.length;
    if (bytes.length > 0 && this.#restBytes <= this.#restBytesMax) this.#rest.push(Buffer.from(bytes));
  }

  #step(byte: number): void {
    if (this.#place === 'between') this.#stepBetween(byte);
    else if (this.#place === 'key' || this.#place === 'string') this.#stepInString(byte);
    else if (this.#place === 'start' && !BEFORE_OBJECT.has(byte)) {
      this.#place = byte === OBJECT ? 'between' : 'end';
      this.#depth = 1;
    }
  }

  #stepBetween(byte: number): void {
    if (byte === QUOTE) this.#beginString();
    else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) this.#depth -= 1;
    else if (this.#depth === 1 && (byte === COMMA || byte === COLON)) this.#expectsKey = byte === COMMA;
  }

  #beginString(): void {
    if (this.#depth !== 1) this.#place = 'string';
    else if (this.#expectsKey) {
      this.#place = 'key';
      this.#key = '';
    } else if (this.#isLongKey()) {
      this.#place = 'long';
      this.#text.restart();
    } else this.#place = 'string';
  }

  #isLongKey(): boolean {
    return this.#key === this.#name || unescaped(this.#key) === this.#name;
  }

  #stepInString(byte: number): void {
    if (byte === QUOTE && this.#escape === '') {
      this.#place = 'between';
      return;
    }
    this.#escape = byte === BACKSLASH && this.#escape === '' ? '\\' : '';
    if (this.#place === 'key' && this.#key.length < KEY_BYTES_MAX) this.#key += String.fromCharCode(byte);
  }

  /** Passes on the text up to its closing quote. Returns the position of that quote, or the end of the chunk. */
  #readLong(chunk: Buffer, from: number): number {
    let text = '';
    let at = from;
    let quote = -1;
    while (at < chunk.length) {
      if (this.#escape !== '') {
        text += this.#continueEscape(chunk[at] ?? 0);
        at += 1;
        continue;
      }
      if (quote < at) quote = positionOf(chunk, QUOTE, at);
      const backslash = positionOf(chunk.subarray(0, quote), BACKSLASH, at);
      text += this.#literal(chunk.toString('latin1', at, backslash));
      at = backslash;
      if (at === quote) break;
      this.#escape = '\\';
      at += 1;
    }
    this.#text.write(text);
    return at;
  }

  /** An invalid character goes to the rest, so that the rest is not JSON either. */
  #literal(text: string): string {
    if (CONTROL.test(text)) this.#keep(Buffer.of(0));
    return text;
  }

  #continueEscape(byte: number): string {
    this.#escape += String.fromCharCode(byte);
    const isWhole = this.#escape.length === (this.#escape.startsWith('\\u') ? 6 : 2);
    if (!isWhole) return '';
    const text = unescaped(this.#escape);
    this.#escape = '';
    if (text === undefined) this.#keep(Buffer.of(0));
    return text ?? '';
  }
}

/** Returns the position of the byte, or the length without one. */
function positionOf(bytes: Buffer, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found === -1 ? bytes.length : found;
}

/** undefined for a text that is not the inside of a JSON string */
function unescaped(text: string): string | undefined {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}
