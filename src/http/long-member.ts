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

/** Receives the texts of the long members while they arrive. */
export interface LongText {
  /**
   * Called before each text.
   *
   * @returns what stands for the text in the rest: digits
   */
  begin(): string;
  /** @param text unescaped; each character stands for one byte of its UTF-8 */
  write(text: string): void;
}

/** The way to a member: the names of members, and null for any element of an array. */
export type MemberPath = readonly (string | null)[];

/** An open object or array on a level that the path reaches. */
interface Level {
  readonly isObject: boolean;
  /** whether the path leads through it */
  readonly isOnPath: boolean;
  expectsKey: boolean;
  /** the last key of an object, with its escapes */
  key: string;
}

/**
 * Cuts long strings out of a JSON object while its bytes arrive: the values of all members at `path`. The rest, with
 * short strings in their places, is valid JSON exactly if the whole was. With duplicate members, parsing the rest shows
 * which one counts.
 */
export class LongMembers {
  readonly #path: MemberPath;
  readonly #text: LongText;
  readonly #restBytesMax: number;
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  #place: 'start' | 'between' | 'key' | 'string' | 'long' | 'end' = 'start';
  /** number of open objects and arrays */
  #depth = 0;
  /** the outer ones of them, no more than the path has steps */
  readonly #levels: Level[] = [];
  /** the started escape in a string */
  #escape = '';
  /** The body is not JSON, so the rest of it need not be read. */
  #isInvalid = false;
  /** the first half of a character that takes two escapes */
  #firstHalf = '';

  /** @param options.restBytesMax of everything but the long texts */
  constructor(path: MemberPath, text: LongText, options: { restBytesMax: number }) {
    this.#path = path;
    this.#text = text;
    this.#restBytesMax = options.restBytesMax;
  }

  /** @returns false if the rest is too large */
  push(chunk: Buffer): boolean {
    if (this.#isInvalid) return true;
    let keptFrom = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#place === 'long') {
        at = this.#readLong(chunk, at);
        if (this.#isInvalid) return true;
        keptFrom = at;
        if (at < chunk.length) this.#place = 'string';
        continue;
      }
      this.#step(chunk[at] ?? 0);
      at += 1;
      if (!this.#isInLong()) continue;
      this.#keep(chunk.subarray(keptFrom, at));
      this.#keep(Buffer.from(this.#text.begin(), 'latin1'));
    }
    if (!this.#isInLong()) this.#keep(chunk.subarray(keptFrom));
    return this.#restBytes <= this.#restBytesMax;
  }

  /** Returns the JSON with short strings in the places of the long ones. */
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
      this.#open(byte);
    }
  }

  #stepBetween(byte: number): void {
    if (byte === QUOTE) this.#beginString();
    else if (OPENING.has(byte)) this.#open(byte);
    else if (CLOSING.has(byte)) this.#depth -= 1;
    else if (byte === COMMA || byte === COLON) this.#separate(byte);
  }

  #open(byte: number): void {
    const isObject = byte === OBJECT;
    const step = this.#path[this.#depth];
    if (this.#depth >= 0 && step !== undefined) {
      const isOnPath = isObject === (step !== null) && (this.#depth === 0 || this.#isAtMember());
      this.#levels[this.#depth] = { isObject, isOnPath, expectsKey: isObject, key: '' };
    }
    this.#depth += 1;
  }

  #separate(byte: number): void {
    const level = this.#level();
    if (level !== undefined) level.expectsKey = level.isObject && byte === COMMA;
  }

  #beginString(): void {
    const level = this.#level();
    if (level?.isObject && level.expectsKey) {
      this.#place = 'key';
      level.key = '';
    } else this.#place = this.#depth === this.#path.length && this.#isAtMember() ? 'long' : 'string';
  }

  /** undefined deeper than the path leads */
  #level(): Level | undefined {
    return this.#levels[this.#depth - 1];
  }

  /** Whether the path leads through the member, or the element, whose value begins here. */
  #isAtMember(): boolean {
    const level = this.#level();
    const step = this.#path[this.#depth - 1];
    if (level === undefined || !level.isOnPath) return false;
    return step === null || level.key === step || unescaped(level.key) === step;
  }

  #stepInString(byte: number): void {
    if (byte === QUOTE && this.#escape === '') {
      this.#place = 'between';
      return;
    }
    this.#escape = byte === BACKSLASH && this.#escape === '' ? '\\' : '';
    if (this.#place !== 'key') return;
    const level = this.#level();
    if (level !== undefined && level.key.length < KEY_BYTES_MAX) level.key += String.fromCharCode(byte);
  }

  /** Passes on the text up to its closing quote. Returns the position of that quote, or the end of the chunk. */
  #readLong(chunk: Buffer, from: number): number {
    let text = '';
    let at = from;
    let quote = -1;
    while (at < chunk.length && !this.#isInvalid) {
      if (this.#escape !== '') {
        text += this.#continueEscape(chunk[at] ?? 0);
        at += 1;
        continue;
      }
      if (quote < at) quote = positionOf(chunk, QUOTE, at);
      const backslash = positionOf(chunk.subarray(0, quote), BACKSLASH, at);
      if (at < backslash || at === quote) text += this.#endOfEscapes();
      text += this.#literal(chunk.toString('latin1', at, backslash));
      at = backslash;
      if (at === quote) break;
      this.#escape = '\\';
      at += 1;
    }
    this.#text.write(text);
    return at;
  }

  #literal(text: string): string {
    if (CONTROL.test(text)) this.#reject();
    return text;
  }

  #continueEscape(byte: number): string {
    this.#escape += String.fromCharCode(byte);
    const isWhole = this.#escape.length === (this.#escape.startsWith('\\u') ? 6 : 2);
    if (!isWhole) return '';
    const text = unescaped(this.#escape);
    this.#escape = '';
    if (text === undefined) this.#reject();
    return text === undefined ? '' : this.#bytesOf(text);
  }

  /** A NUL in the rest ensures that the rest is not JSON, either. */
  #reject(): void {
    this.#isInvalid = true;
    this.#keep(Buffer.of(0));
  }

  /** Returns the bytes of one escaped character, or of both halves of one. */
  #bytesOf(unit: string): string {
    if (isFirstHalf(unit)) {
      const before = this.#endOfEscapes();
      this.#firstHalf = unit;
      return before;
    }
    const whole = this.#firstHalf + unit;
    if (this.#firstHalf !== '' && whole.isWellFormed()) {
      this.#firstHalf = '';
      return Buffer.from(whole).toString('latin1');
    }
    return this.#endOfEscapes() + encodedUnit(unit);
  }

  /** Returns the bytes of a first half that stayed alone. */
  #endOfEscapes(): string {
    const alone = this.#firstHalf;
    this.#firstHalf = '';
    return alone === '' ? '' : encodedUnit(alone);
  }
}

function isFirstHalf(unit: string): boolean {
  const code = unit.charCodeAt(0);
  return code >= 0xd800 && code <= 0xdbff;
}

/** Encodes one UTF-16 unit as UTF-8 does. Half of a character gives bytes that are not valid UTF-8. */
function encodedUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  if (code < 0x80) return unit;
  const last = 0x80 | (code & 0x3f);
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6), last);
  return String.fromCharCode(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), last);
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
