import { LIMITS } from '../core/limits.ts';

/** A path, taken apart once for all patterns that are held against it. */
export class TakenPath {
  readonly name: string;
  readonly text: string;
  #parts: readonly string[] | undefined;

  constructor(text: string) {
    this.text = text;
    this.name = text.slice(text.lastIndexOf('/') + 1);
  }

  get parts(): readonly string[] {
    this.#parts ??= this.text.split('/');
    return this.#parts;
  }
}

/**
 * Patterns of paths as `.gitattributes` has them, without `[…]` and `\`: gitattributes(5), gitignore(5). They come from
 * whoever pushes, so they are matched step by step and never made into a regular expression. (The globs of `core/` are
 * another language: there braces mean something, and `**` has its meaning inside of names, too. Here each file is held
 * against each pattern, so most of them are told by a comparison of text.)
 */
export interface PathPattern {
  matches(path: TakenPath): boolean;
}

const ANY_FOLDERS = '**';

/** @returns undefined for a pattern that is not understood, or that names no file */
export function pathPattern(text: string): PathPattern | undefined {
  if (text === '' || text.length > LIMITS.languagePatternCharsMax || /[[\]\\]/.test(text)) return undefined;
  if (text.startsWith('!') || text.endsWith('/')) return undefined;
  // Without a slash it names files wherever they are.
  if (!text.includes('/')) return namePattern(text);
  const wanted = text.replace(/^\//, '').split('/');
  const fixed = /^[^*?]*/.exec(wanted.join('/'))?.[0] ?? '';
  // `a/**` is no more than what begins with `a/`, so most paths are done with at once.
  return { matches: (path) => path.text.startsWith(fixed) && matchesParts(wanted, path.parts) };
}

function namePattern(text: string): PathPattern {
  const ending = text.slice(1);
  const isEnding = text.startsWith('*') && !/[*?]/.test(ending);
  return { matches: ({ name }) => (isEnding ? name.endsWith(ending) : matchesName(text, name)) };
}

/** Where both can go on, the furthest that is known to fit is remembered alone, so no path is tried twice. */
function matchesParts(wanted: readonly string[], path: readonly string[]): boolean {
  let [at, along] = [0, 0];
  let [backAt, backAlong] = [-1, -1];
  while (along < path.length) {
    const part = wanted[at];
    if (part === ANY_FOLDERS) {
      // At the end it stands for everything inside, which is something.
      if (at === wanted.length - 1) return true;
      [backAt, backAlong] = [at, along];
      at += 1;
    } else if (part !== undefined && matchesName(part, path[along] ?? '')) {
      at += 1;
      along += 1;
    } else {
      if (backAt === -1) return false;
      backAlong += 1;
      [at, along] = [backAt + 1, backAlong];
    }
  }
  return at === wanted.length;
}

function matchesName(pattern: string, name: string): boolean {
  let [at, along] = [0, 0];
  let [backAt, backAlong] = [-1, -1];
  while (along < name.length) {
    const wanted = pattern[at];
    if (wanted === '*') {
      [backAt, backAlong] = [at, along];
      at += 1;
    } else if (wanted === '?' || (wanted !== undefined && wanted === name[along])) {
      at += 1;
      along += 1;
    } else {
      if (backAt === -1) return false;
      backAlong += 1;
      [at, along] = [backAt + 1, backAlong];
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
