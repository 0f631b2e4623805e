import { invalid } from '../failure.ts';

/**
 * A path pattern in the syntax of the reference forge: `*` matches anything within one name, `**` anything at all, `?`
 * one character, `[a-z]` and `[!a-z]` one character of a set, `{a,b}` either alternative, and `\` makes the next
 * character literal.
 *
 * @see https://docs.gitea.com/usage/repository/template-repositories
 */
export interface Glob {
  /** Whether the pattern matches all of `path`. The cost grows with the product of both lengths and no faster. */
  matches(path: string, budget: StepBudget): boolean;
}

/** Bounds the total cost of matching, because users write the paths and patterns. */
export class StepBudget {
  readonly #stepsMax: number;
  #spent = 0;

  constructor(stepsMax: number) {
    this.#stepsMax = stepsMax;
  }

  get spent(): number {
    return this.#spent;
  }

  /** @throws ForgeError `invalid` when the budget is used up */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#stepsMax) throw invalid('these patterns take too long to match');
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
 * @param options.alternativesMax bound on the alternatives of all braces together
 * @returns one glob for each alternative; undefined for a malformed pattern or too many alternatives
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

/** Each expansion reads the pattern again, even if its braces contain only one alternative with braces. */
const EXPANSIONS_MAX = 256;

/** Expands a pattern into equivalent patterns without braces. */
function expandBraces(pattern: string, countMax: number): readonly string[] | undefined {
  const done: string[] = [];
  const open = [pattern];
  let expanded = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (group === 'unclosed') return undefined;
    if (group === undefined) done.push(next);
    else open.push(...group);
    expanded += 1;
    if (expanded > EXPANSIONS_MAX || done.length + open.length > countMax) return undefined;
  }
  return done;
}

/** Returns the pattern once for each alternative of its first braces; undefined without braces. */
function firstGroup(pattern: string): readonly string[] | 'unclosed' | undefined {
  let depth = 0;
  let start = -1;
  const commas: number[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '{') {
      if (depth === 0) start = at;
      depth += 1;
    } else if (char === ',' && depth === 1) commas.push(at);
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

/** @param from position after the opening bracket */
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
 * Tracks every position in the pattern that the path can have reached, so it never backtracks. It stops at the first
 * character that no position accepts, and spends budget only for characters that it reads.
 */
function matchesWhole(parts: readonly Part[], path: string, budget: StepBudget): boolean {
  let positions = withEmptyRuns(parts, new Set([0]));
  for (const char of path) {
    const next = new Set<number>();
    for (const position of positions) {
      const part = parts[position];
      budget.spend(part?.kind === 'set' ? part.ranges.length : 1);
      if (part !== undefined && takes(part, char)) next.add(part.kind === 'run' ? position : position + 1);
    }
    if (next.size === 0) return false;
    positions = withEmptyRuns(parts, next);
  }
  return positions.has(parts.length);
}

/** Adds the positions after runs, because a run can match nothing. */
function withEmptyRuns(parts: readonly Part[], positions: Set<number>): Set<number> {
  // Iteration over a Set includes members that are added on the way.
  for (const position of positions) if (parts[position]?.kind === 'run') positions.add(position + 1);
  return positions;
}

function takes(part: Part, char: string): boolean {
  if (part.kind === 'char') return part.char === char;
  if (part.kind === 'run') return part.crossesFolders || char !== '/';
  if (char === '/') return false;
  if (part.kind === 'any') return true;
  return part.ranges.some(([low, high]) => low <= char && char <= high) !== part.isNegated;
}
