import { invalid } from './failure.ts';

/**
 * Patterns of paths as the reference forge reads them: `*` is anything within one name, `**` anything at all, `?` one
 * character, `[a-z]` and `[!a-z]` one of a set, `{a,b}` either, and `\` takes what follows as it is.
 *
 * @see https://docs.gitea.com/usage/repository/template-repositories
 */
export interface Glob {
  /** Whether the whole of `path` is matched. What that takes grows with the length of both and no faster. */
  matches(path: string, budget: StepBudget): boolean;
}

/** What matching may take in all: paths and patterns come from people. */
export class StepBudget {
  #left: number;

  constructor(stepsMax: number) {
    this.#left = stepsMax;
  }

  /** @throws ForgeError `invalid` */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw invalid('these patterns take too long to match');
  }
}

type Part =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | {
      readonly kind: 'set';
      readonly isNegated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    }
  | { readonly kind: 'run'; readonly crossesFolders: boolean };

/**
 * @param options.alternativesMax of all braces together
 * @returns one for each choice of its braces; undefined for a pattern that is none, or has more alternatives
 */
export function parseGlob(
  pattern: string,
  options: { alternativesMax: number },
): readonly Glob[] | undefined {
  const plain = expandBraces(pattern, options.alternativesMax);
  const alternatives = plain?.map(parsePlain);
  if (alternatives === undefined || alternatives.includes(undefined)) return undefined;
  const known = alternatives.filter((parts) => parts !== undefined);
  return known.map((parts) => ({ matches: (path, budget) => matchesWhole(parts, path, budget) }));
}

/** The patterns without braces that a pattern stands for. */
function expandBraces(pattern: string, countMax: number): readonly string[] | undefined {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (group === 'unclosed') return undefined;
    if (group === undefined) done.push(next);
    else open.push(...group);
    if (done.length + open.length > countMax) return undefined;
  }
  return done;
}

/** The pattern once for each choice of its first braces. */
function firstGroup(pattern: string): readonly string[] | 'unclosed' | undefined {
  let depth = 0;
  let start = -1;
  let commas: number[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '{') {
      if (depth === 0) start = at;
      depth += 1;
    } else if (char === ',' && depth === 1) commas = [...commas, at];
    else if (char === '}' && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      const ends = [...commas, at];
      const starts = [start, ...commas];
      return ends.map(
        (end, index) =>
          pattern.slice(0, start) + pattern.slice((starts[index] ?? start) + 1, end) + pattern.slice(at + 1),
      );
    }
  }
  return depth === 0 ? undefined : 'unclosed';
}

function parsePlain(pattern: string): readonly Part[] | undefined {
  const chars = [...pattern];
  const parts: Part[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '[') {
      const set = readSet(chars, at + 1);
      if (set === undefined) return undefined;
      parts.push(set.part);
      at = set.end;
    } else if (char === '*') {
      const crossesFolders = chars[at + 1] === '*';
      if (crossesFolders) at += 1;
      parts.push({ kind: 'run', crossesFolders });
    } else if (char === '\\') {
      at += 1;
      const escaped = chars[at];
      if (escaped === undefined) return undefined;
      parts.push({ kind: 'char', char: escaped });
    } else parts.push(char === '?' ? { kind: 'any' } : { kind: 'char', char });
  }
  return parts;
}

/** @param from behind the opening bracket */
function readSet(chars: readonly string[], from: number): { part: Part; end: number } | undefined {
  const isNegated = chars[from] === '!';
  const start = isNegated ? from + 1 : from;
  const end = chars.indexOf(']', start + 1);
  if (end === -1) return undefined;
  const ranges: [string, string][] = [];
  for (let at = start; at < end; at += 1) {
    const low = chars[at] ?? '';
    const isRange = chars[at + 1] === '-' && at + 2 < end;
    ranges.push([low, (isRange ? chars[at + 2] : low) ?? low]);
    if (isRange) at += 2;
  }
  return { part: { kind: 'set', isNegated, ranges }, end };
}

/**
 * Keeps all places in the pattern where the path may be so far, so no path makes it go back. Of a path that is nothing
 * like the pattern no more is looked at than is paid for.
 */
function matchesWhole(parts: readonly Part[], path: string, budget: StepBudget): boolean {
  let places = withRunsPassed(parts, new Set([0]));
  for (const char of path) {
    budget.spend(places.size);
    const next = new Set<number>();
    for (const place of places) {
      const part = parts[place];
      if (part !== undefined && takes(part, char)) next.add(part.kind === 'run' ? place : place + 1);
    }
    if (next.size === 0) return false;
    places = withRunsPassed(parts, next);
  }
  return places.has(parts.length);
}

/** A run may be over before it began. */
function withRunsPassed(parts: readonly Part[], places: Set<number>): Set<number> {
  // A set is walked in the order of its growth, so what is added here is looked at, too.
  for (const place of places) if (parts[place]?.kind === 'run') places.add(place + 1);
  return places;
}

function takes(part: Part, char: string): boolean {
  if (part.kind === 'char') return part.char === char;
  if (part.kind === 'run') return part.crossesFolders || char !== '/';
  if (char === '/') return false;
  if (part.kind === 'any') return true;
  return part.ranges.some(([low, high]) => low <= char && char <= high) !== part.isNegated;
}
