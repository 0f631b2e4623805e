import type { StepBudget } from '../../../../base/core/text/globs.ts';
import { CODE_OWNER_LIMITS } from './limits.ts';
import { type Pattern, type Place, parsePattern, type Range, WORD } from './parse-pattern.ts';

/** What a position in a compiled pattern does. Positions after it are those that it names. */
type Step =
  | {
      readonly kind: 'set';
      readonly ranges: readonly Range[];
      readonly isNegated: boolean;
      readonly ignoresCase: boolean;
      readonly next: number;
    }
  | { readonly kind: 'at'; readonly place: Place; readonly next: number }
  | { readonly kind: 'fork'; readonly nexts: readonly number[] }
  | { readonly kind: 'done' };

class TooLong extends Error {}

/**
 * A regular expression that finds a match in a text in linear time. It tracks all positions in the pattern that the text
 * can have reached, so it never backtracks.
 *
 * @see https://swtch.com/~rsc/regexp/regexp1.html
 */
export class LinearPattern {
  readonly #steps: readonly Step[];
  readonly #start: number;
  /** All matches begin at the start of the text. */
  readonly #isAnchored: boolean;

  private constructor(steps: readonly Step[], start: number) {
    this.#steps = steps;
    this.#start = start;
    this.#isAnchored = isAnchored(steps, start);
  }

  /** number of its steps */
  get size(): number {
    return this.#steps.length;
  }

  /** @returns undefined for a malformed pattern, and for one that is too large */
  static of(text: string): LinearPattern | undefined {
    const pattern = parsePattern(text);
    if (pattern === undefined) return undefined;
    try {
      const compiler = new Compiler();
      const start = compiler.compile(pattern, compiler.add({ kind: 'done' }));
      return new LinearPattern(compiler.steps, start);
    } catch (error) {
      if (error instanceof TooLong) return undefined;
      throw error;
    }
  }

  /**
   * Whether the pattern matches some part of a text.
   *
   * @throws ForgeError `invalid` if the budget is used up
   */
  isIn(text: string, budget: StepBudget): boolean {
    const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
    let reached = new Set<number>();
    for (let at = 0; at <= codes.length; at += 1) {
      if (at === 0 || !this.#isAnchored) reached.add(this.#start);
      if (reached.size === 0) return false;
      const positions = this.#withoutText(reached, { codes, at }, budget);
      if (positions === 'done') return true;
      reached = this.#after(positions, codes[at] ?? 0, budget);
    }
    return false;
  }

  /** Adds the positions that are reached without reading a character. */
  #withoutText(positions: Set<number>, where: Where, budget: StepBudget): Set<number> | 'done' {
    // Iteration over a Set includes members that are added on the way.
    for (const position of positions) {
      budget.spend(1);
      const step = this.#steps[position];
      if (step?.kind === 'done') return 'done';
      if (step?.kind === 'at' && isAt(step.place, where)) positions.add(step.next);
      if (step?.kind === 'fork') for (const next of step.nexts) positions.add(next);
    }
    return positions;
  }

  #after(positions: ReadonlySet<number>, code: number, budget: StepBudget): Set<number> {
    const next = new Set<number>();
    for (const position of positions) {
      const step = this.#steps[position];
      if (step?.kind !== 'set') continue;
      budget.spend(step.ranges.length);
      if (takes(step, code)) next.add(step.next);
    }
    return next;
  }
}

function isAnchored(steps: readonly Step[], start: number): boolean {
  const positions = new Set([start]);
  for (const position of positions) {
    const step = steps[position];
    if (step?.kind === 'set' || step?.kind === 'done') return false;
    if (step?.kind === 'at' && step.place !== 'start') positions.add(step.next);
    if (step?.kind === 'fork') for (const next of step.nexts) positions.add(next);
  }
  return true;
}

/** A place between two characters of a text. */
interface Where {
  readonly codes: readonly number[];
  readonly at: number;
}

function isAt(place: Place, { codes, at }: Where): boolean {
  if (place === 'start') return at === 0;
  if (place === 'end') return at === codes.length;
  const isBoundary = isWord(codes[at - 1]) !== isWord(codes[at]);
  return isBoundary === (place === 'boundary');
}

function isWord(code: number | undefined): boolean {
  return code !== undefined && isWithin(WORD, code);
}

function takes({ ranges, isNegated, ignoresCase }: Extract<Step, { kind: 'set' }>, code: number): boolean {
  const isIn =
    isWithin(ranges, code) || (ignoresCase && otherCases(code).some((each) => isWithin(ranges, each)));
  return isIn !== isNegated;
}

function isWithin(ranges: readonly Range[], code: number): boolean {
  return ranges.some(([low, high]) => low <= code && code <= high);
}

function otherCases(code: number): readonly number[] {
  const char = String.fromCodePoint(code);
  return [char.toLowerCase(), char.toUpperCase()].map((each) => each.codePointAt(0) ?? code);
}

/** Turns a pattern into steps, from its end to its start. */
class Compiler {
  readonly steps: Step[] = [];
  #visits = 0;

  add(step: Step): number {
    this.steps.push(step);
    return this.steps.length - 1;
  }

  /**
   * @param next the position after the pattern
   * @returns the position at which the pattern begins
   * @throws TooLong
   */
  compile(pattern: Pattern, next: number): number {
    // Repetitions of nothing add no steps, but take time.
    this.#visits += 1;
    if (this.#visits > CODE_OWNER_LIMITS.codeOwnerStepsPerPatternMax) throw new TooLong();
    switch (pattern.kind) {
      case 'empty':
        return next;
      case 'set':
      case 'at':
        return this.add({ ...pattern, next });
      case 'sequence':
        return pattern.parts.reduceRight((after, part) => this.compile(part, after), next);
      case 'choice':
        return this.add({ kind: 'fork', nexts: pattern.options.map((each) => this.compile(each, next)) });
      case 'repeat':
        return this.#repeat(pattern, next);
    }
  }

  #repeat({ part, min, max }: Extract<Pattern, { kind: 'repeat' }>, next: number): number {
    let start = max === null ? this.#loop(part, next) : next;
    for (let count = min; count < (max ?? min); count += 1)
      start = this.add({ kind: 'fork', nexts: [this.compile(part, start), next] });
    for (let count = 0; count < min; count += 1) start = this.compile(part, start);
    return start;
  }

  /** Any number of repetitions. */
  #loop(part: Pattern, next: number): number {
    const nexts = [next];
    const fork = this.add({ kind: 'fork', nexts });
    nexts.push(this.compile(part, fork));
    return fork;
  }
}
