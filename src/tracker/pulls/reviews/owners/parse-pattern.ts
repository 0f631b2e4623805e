import { CODE_OWNER_LIMITS } from './limits.ts';

/** Code points from the first to the second one. */
export type Range = readonly [number, number];

/** A regular expression in the syntax of Go, without the parts that only matter for what a group has matched. */
export type Pattern =
  | { readonly kind: 'empty' }
  | {
      readonly kind: 'set';
      readonly ranges: readonly Range[];
      readonly isNegated: boolean;
      readonly ignoresCase: boolean;
    }
  | { readonly kind: 'at'; readonly place: Place }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly min: number; readonly max: number | null };

/** `start`, `end`: of the text. `boundary`: of a word. */
export type Place = 'start' | 'end' | 'boundary' | 'no boundary';

interface Flags {
  readonly ignoresCase: boolean;
  /** a dot stands for a line feed, too */
  readonly hasDotAll: boolean;
}

class Malformed extends Error {}

/**
 * Parses a regular expression.
 *
 * @returns undefined if Go rejects it, or it needs classes of Unicode, which have no place in rules about paths
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function parsePattern(text: string): Pattern | undefined {
  try {
    return new Parser(text).parse();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

const LAST = 0x10ffff;
const DIGITS: readonly Range[] = [[0x30, 0x39]];
const LETTERS: readonly Range[] = [
  [0x41, 0x5a],
  [0x61, 0x7a],
];
export const WORD: readonly Range[] = [...DIGITS, ...LETTERS, [0x5f, 0x5f]];
const SPACE: readonly Range[] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];
const PERL: Readonly<Record<string, readonly Range[]>> = { d: DIGITS, w: WORD, s: SPACE };
const POSIX: Readonly<Record<string, readonly Range[]>> = {
  alnum: [...DIGITS, ...LETTERS],
  alpha: LETTERS,
  ascii: [[0, 0x7f]],
  blank: [
    [0x09, 0x09],
    [0x20, 0x20],
  ],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: DIGITS,
  graph: [[0x21, 0x7e]],
  lower: [[0x61, 0x7a]],
  print: [[0x20, 0x7e]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
  upper: [[0x41, 0x5a]],
  word: WORD,
  xdigit: [...DIGITS, [0x41, 0x46], [0x61, 0x66]],
};
const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const PLACES: Readonly<Record<string, Place>> = { A: 'start', z: 'end', b: 'boundary', B: 'no boundary' };
const COUNT = /^\{(\d{1,5})(,(\d{0,5}))?\}/;
const GROUP = /^\?(?:P?<\w+>|([is-]*)(:|\)))/;

class Parser {
  readonly #chars: readonly string[];
  #at = 0;
  #flags: Flags = { ignoresCase: false, hasDotAll: false };

  constructor(text: string) {
    this.#chars = [...text];
  }

  parse(): Pattern {
    const all = this.#choice();
    // Only a closing parenthesis ends a choice early.
    if (this.#at < this.#chars.length) throw new Malformed();
    return all;
  }

  #choice(): Pattern {
    const before = this.#flags;
    const options = [this.#sequence()];
    while (this.#takes('|')) options.push(this.#sequence());
    this.#flags = before;
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    for (let char = this.#next(); char !== undefined && char !== '|' && char !== ')'; char = this.#next())
      parts.push(this.#repeated(this.#atom()));
    return parts.length === 0 ? { kind: 'empty' } : { kind: 'sequence', parts };
  }

  #repeated(part: Pattern): Pattern {
    const count = this.#count();
    if (count === undefined) return part;
    // Whether a match is the shortest one does not matter.
    this.#takes('?');
    if (this.#count() !== undefined) throw new Malformed();
    return { kind: 'repeat', part, ...count };
  }

  #count(): { readonly min: number; readonly max: number | null } | undefined {
    if (this.#takes('*')) return { min: 0, max: null };
    if (this.#takes('+')) return { min: 1, max: null };
    if (this.#takes('?')) return { min: 0, max: 1 };
    const [all, least, hasMost, most = ''] = COUNT.exec(this.#rest()) ?? [];
    // Other braces stand for themselves.
    if (all === undefined) return undefined;
    this.#at += all.length;
    const min = Number(least);
    const max = hasMost === undefined ? min : most === '' ? null : Number(most);
    const { codeOwnerRepeatsMax: countMax } = CODE_OWNER_LIMITS;
    if (min > countMax || (max !== null && (max > countMax || max < min))) throw new Malformed();
    return { min, max };
  }

  #atom(): Pattern {
    const char = this.#read();
    switch (char) {
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '.':
        return this.#setOf(this.#flags.hasDotAll ? [] : [[0x0a, 0x0a]], true);
      case '^':
        return { kind: 'at', place: 'start' };
      case '$':
        return { kind: 'at', place: 'end' };
      case '*':
      case '+':
      case '?':
        throw new Malformed();
      case '\\':
        return this.#escape();
      default:
        return this.#setOf([rangeOf(char)]);
    }
  }

  #group(): Pattern {
    const before = this.#flags;
    if (this.#next() === '?') {
      const [all, flags, end] = GROUP.exec(this.#rest()) ?? [];
      if (all === undefined) throw new Malformed();
      this.#at += all.length;
      if (flags !== undefined) this.#setFlags(flags);
      // Without a group, the flags are for the rest of the group around them.
      if (end === ')') return { kind: 'empty' };
    }
    const inner = this.#choice();
    if (!this.#takes(')')) throw new Malformed();
    this.#flags = before;
    return inner;
  }

  #setFlags(text: string): void {
    const [on = '', off = ''] = text.split('-');
    const isSet = (flag: string, before: boolean) => (on.includes(flag) || before) && !off.includes(flag);
    this.#flags = {
      ignoresCase: isSet('i', this.#flags.ignoresCase),
      hasDotAll: isSet('s', this.#flags.hasDotAll),
    };
  }

  #escape(): Pattern {
    const char = this.#read();
    const place = PLACES[char];
    if (place !== undefined) return { kind: 'at', place };
    const perl = PERL[char.toLowerCase()];
    if (perl !== undefined) return this.#setOf(perl, char !== char.toLowerCase());
    if (char === 'Q') return this.#quoted();
    return this.#setOf([this.#escapedRange(char)]);
  }

  /** Reads the text between `\Q` and `\E`, which stands for itself. */
  #quoted(): Pattern {
    const parts: Pattern[] = [];
    while (this.#next() !== undefined) {
      if (this.#rest().startsWith('\\E')) {
        this.#at += 2;
        break;
      }
      parts.push(this.#setOf([rangeOf(this.#read())]));
    }
    return { kind: 'sequence', parts };
  }

  #escapedRange(char: string): Range {
    const control = CONTROLS[char];
    if (control !== undefined) return [control, control];
    if (char === 'x') return this.#hexRange();
    if (/[\w\s]/.test(char) || char > '\u007f') throw new Malformed();
    return rangeOf(char);
  }

  #hexRange(): Range {
    const [all, long, short] = /^(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{2}))/.exec(this.#rest()) ?? [];
    const code = Number.parseInt(long ?? short ?? '', 16);
    if (all === undefined || code > LAST) throw new Malformed();
    this.#at += all.length;
    return [code, code];
  }

  #class(): Pattern {
    const isNegated = this.#takes('^');
    const ranges: Range[] = [];
    for (let isFirst = true; isFirst || this.#next() !== ']'; isFirst = false)
      ranges.push(...this.#classPart());
    this.#at += 1;
    return this.#setOf(ranges, isNegated);
  }

  #classPart(): readonly Range[] {
    const named = /^\[:(\^?)(\w+):\]/.exec(this.#rest());
    if (named !== null) {
      const [all, not, name = ''] = named;
      const ranges = POSIX[name];
      if (ranges === undefined) throw new Malformed();
      this.#at += all.length;
      return not === '' ? ranges : othersThan(ranges);
    }
    const perl = /^\\([dwsDWS])/.exec(this.#rest())?.[1];
    if (perl !== undefined) {
      this.#at += 2;
      const ranges = PERL[perl.toLowerCase()] ?? [];
      return perl === perl.toLowerCase() ? ranges : othersThan(ranges);
    }
    const [low] = this.#classChar();
    const isRange = this.#next() === '-' && this.#chars[this.#at + 1] !== ']';
    if (!isRange) return [[low, low]];
    this.#at += 1;
    const [high] = this.#classChar();
    if (high < low) throw new Malformed();
    return [[low, high]];
  }

  #classChar(): Range {
    const char = this.#read();
    return char === '\\' ? this.#escapedRange(this.#read()) : rangeOf(char);
  }

  #setOf(ranges: readonly Range[], isNegated = false): Pattern {
    return { kind: 'set', ranges, isNegated, ignoresCase: this.#flags.ignoresCase };
  }

  #next(): string | undefined {
    return this.#chars[this.#at];
  }

  #read(): string {
    const char = this.#chars[this.#at];
    if (char === undefined) throw new Malformed();
    this.#at += 1;
    return char;
  }

  #takes(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  /** The text from here on, as far as one atom reaches. */
  #rest(): string {
    return this.#chars.slice(this.#at, this.#at + LOOKAHEAD_CHARS).join('');
  }
}

const LOOKAHEAD_CHARS = 64;

function rangeOf(char: string): Range {
  const code = char.codePointAt(0) ?? 0;
  return [code, code];
}

/** Returns the code points outside of ranges. */
function othersThan(ranges: readonly Range[]): readonly Range[] {
  const others: Range[] = [];
  let next = 0;
  for (const [low, high] of ranges.toSorted(([one], [other]) => one - other)) {
    if (low > next) others.push([next, low - 1]);
    next = Math.max(next, high + 1);
  }
  return [...others, [next, LAST]];
}
