/** One place of a pattern: any text, any character, or a set of characters. */
type Token = '*' | '?' | { readonly has: (character: string) => boolean };

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\u0000-\u001f\u007f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\r\v\f]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/**
 * A pattern for the name of one file or folder, with `*`, `?`, `[…]` and `\`: fnmatch(3). It is matched step by step.
 */
export class NamePattern {
  readonly #tokens: readonly Token[];

  private constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** @returns undefined if the pattern matches nothing, because a `[` or a `\` is not complete */
  static parse(text: string): NamePattern | undefined {
    const tokens: Token[] = [];
    for (let at = 0; at < text.length; ) {
      const character = text.charAt(at);
      if (character === '[') {
        const set = readSet(text, at + 1);
        if (set === undefined) return undefined;
        tokens.push({ has: set.has });
        at = set.end;
        continue;
      }
      if (character === '\\') at += 1;
      const literal = text.charAt(at);
      if (literal === '') return undefined;
      tokens.push(character === '*' || character === '?' ? character : { has: (other) => other === literal });
      at += 1;
    }
    return new NamePattern(tokens);
  }

  matches(name: string): boolean {
    const tokens = this.#tokens;
    let [at, along] = [0, 0];
    let [backAt, backAlong] = [-1, -1];
    while (along < name.length) {
      const token = tokens[at];
      if (token === '*') {
        [backAt, backAlong] = [at, along];
        at += 1;
      } else if (token === '?' || token?.has(name.charAt(along)) === true) {
        at += 1;
        along += 1;
      } else {
        if (backAt === -1) return false;
        backAlong += 1;
        [at, along] = [backAt + 1, backAlong];
      }
    }
    while (tokens[at] === '*') at += 1;
    return at === tokens.length;
  }
}

/** Reads a set of characters from after its `[`. @returns undefined without its `]` */
function readSet(
  text: string,
  start: number,
): { has: (character: string) => boolean; end: number } | undefined {
  const isNegated = text[start] === '!' || text[start] === '^';
  const first = isNegated ? start + 1 : start;
  const parts: ((character: string) => boolean)[] = [];
  for (let at = first; at < text.length; ) {
    if (text[at] === ']' && at > first) {
      const has = (character: string) => parts.some((part) => part(character)) !== isNegated;
      return { has, end: at + 1 };
    }
    const named = /^\[:([a-z]+):\]/.exec(text.slice(at, at + 12));
    if (named !== null) {
      const [{ length }, name = ''] = named;
      const members = CLASSES[name];
      if (members === undefined) return undefined;
      parts.push((character) => members.test(character));
      at += length;
      continue;
    }
    if (text[at] === '\\') at += 1;
    const from = text.charAt(at);
    if (from === '') return undefined;
    at += 1;
    if (text[at] === '-' && text[at + 1] !== undefined && text[at + 1] !== ']') {
      at += text[at + 1] === '\\' ? 2 : 1;
      const to = text.charAt(at);
      if (to === '') return undefined;
      parts.push((character) => character >= from && character <= to);
      at += 1;
    } else parts.push((character) => character === from);
  }
  return undefined;
}
