import { GIT_LIMITS } from '../limits.ts';
import { NamePattern } from './name-pattern.ts';

/** A path, split once for all patterns that are matched against it. */
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
 * A path pattern of `.gitattributes`: gitattributes(5), gitignore(5). Patterns come from pushers, so they are matched step
 * by step and never become a regular expression. (The globs of `core/` are a different language: there, braces have a
 * meaning, and `**` also works inside names. Here each file is matched against each pattern, so most patterns are matched
 * by comparing text.)
 */
export interface PathPattern {
  matches(path: TakenPath): boolean;
}

const ANY_FOLDERS = '**';
/** Characters with a meaning in the pattern of a name. */
const SPECIAL = /[*?[\\]/;

/**
 * Parses a pattern.
 *
 * @returns undefined for a pattern that matches no file
 */
export function pathPattern(text: string): PathPattern | undefined {
  if (text === '' || text.length > GIT_LIMITS.attributePatternCharsMax) return undefined;
  if (text.startsWith('!') || text.endsWith('/')) return undefined;
  // A pattern without a slash matches in every folder.
  if (!text.includes('/')) return namePattern(text);
  const wanted = text.replace(/^\//, '').split('/').map(partOf);
  if (!isComplete(wanted)) return undefined;
  const fixed = /^[^*?[\\]*/.exec(text.replace(/^\//, ''))?.[0] ?? '';
  // The fixed start of a pattern such as `a/**` rules out most paths at once.
  return { matches: (path) => path.text.startsWith(fixed) && matchesParts(wanted, path.parts) };
}

type Part = typeof ANY_FOLDERS | NamePattern;

function partOf(text: string): Part | undefined {
  return text === ANY_FOLDERS ? ANY_FOLDERS : NamePattern.parse(text);
}

function isComplete(parts: readonly (Part | undefined)[]): parts is readonly Part[] {
  return !parts.includes(undefined);
}

function namePattern(text: string): PathPattern | undefined {
  const ending = text.slice(1);
  if (text.startsWith('*') && !SPECIAL.test(ending)) return { matches: ({ name }) => name.endsWith(ending) };
  const pattern = NamePattern.parse(text);
  return pattern === undefined ? undefined : { matches: ({ name }) => pattern.matches(name) };
}

/** Matches the parts of a path. Backtracks only to the last `**`, so it tries no position twice. */
function matchesParts(wanted: readonly Part[], path: readonly string[]): boolean {
  let [at, along] = [0, 0];
  let [backAt, backAlong] = [-1, -1];
  while (along < path.length) {
    const part = wanted[at];
    if (part === ANY_FOLDERS) {
      // At the end, `**` matches everything inside, which is at least one part.
      if (at === wanted.length - 1) return true;
      [backAt, backAlong] = [at, along];
      at += 1;
    } else if (part?.matches(path[along] ?? '')) {
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
