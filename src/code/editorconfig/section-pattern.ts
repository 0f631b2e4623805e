import type { StepBudget } from '../../base/core/text/globs.ts';

/**
 * The name of a section of an `.editorconfig`: `*` matches anything within one name, `**` anything at all, `?` one
 * character, `[a-z]` and `[!a-z]` one of a set, `{a,b}` either alternative, `{1..9}` a number, and `\` makes the next
 * character literal. Without `/`, it matches in every folder.
 *
 * Our own code: the `editorconfig` package makes a regular expression of a name, which can take any time.
 *
 * @see https://spec.editorconfig.org/#glob-expressions
 */
interface SectionPattern {
  /** Whether the pattern matches all of `path`. The cost grows with the product of both lengths and no faster. */
  matches(path: string): boolean;
}

type Test = (char: string) => boolean;

/** A state of the machine that a pattern becomes. `next` is where a path goes on. */
type State =
  | { readonly kind: 'end' }
  | { readonly kind: 'one'; readonly takes: Test; readonly next: number }
  | { readonly kind: 'many'; readonly takes: Test; readonly next: number }
  | { readonly kind: 'number'; readonly low: bigint; readonly high: bigint; readonly next: number }
  | { readonly kind: 'either'; readonly nexts: readonly number[] };

interface Brace {
  readonly end: number;
  /** positions of the commas between its alternatives */
  readonly commas: readonly number[];
}

const RANGE = /^([+-]?\d{1,18})\.\.([+-]?\d{1,18})$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,17})$/;
const NUMBER_CHARS_MAX = 19;
const END = 0;

/**
 * @param budget also counts what the parser reads, because a bracket that does not close is read from each `[` on
 * @throws ForgeError `invalid` when the budget is used up
 */
export function parseSection(name: string, budget: StepBudget): SectionPattern {
  const text = name.startsWith('/') ? name.slice(1) : name;
  const machine = new Machine([...text], budget);
  const isAnywhere = !name.includes('/');
  return {
    matches: (path) => machine.matches(path, isAnywhere ? startsOf(path) : [0]),
  };
}

/** Positions in a path where a name begins. */
function startsOf(path: string): readonly number[] {
  return [0, ...[...path.matchAll(/\//g)].map(({ index }) => index + 1)];
}

/**
 * Tracks every state that the path can have reached, so it never backtracks. It is built from the end of the pattern,
 * because each state names the one after it.
 */
class Machine {
  readonly #chars: readonly string[];
  readonly #budget: StepBudget;
  readonly #braces: ReadonlyMap<number, Brace>;
  readonly #states: State[] = [{ kind: 'end' }];
  readonly #start: number;

  constructor(chars: readonly string[], budget: StepBudget) {
    this.#chars = chars;
    this.#budget = budget;
    this.#braces = bracesOf(chars);
    this.#start = this.#sequence(0, chars.length, END);
  }

  #add(state: State): number {
    return this.#states.push(state) - 1;
  }

  /** Builds the states of a part of the pattern. @returns the first one */
  #sequence(from: number, to: number, next: number): number {
    const parts: ((next: number) => number)[] = [];
    for (let at = from; at < to; ) {
      const { build, end } = this.#part(at, to);
      parts.push(build);
      at = end;
    }
    return parts.reduceRight((after, build) => build(after), next);
  }

  /** @returns how to build the part of the pattern that begins at `at`, and where that ends */
  #part(at: number, to: number): { build: (next: number) => number; end: number } {
    const char = this.#chars[at] ?? '';
    const one = (takes: Test, end: number) => ({
      build: (next: number) => this.#add({ kind: 'one', takes, next }),
      end,
    });
    if (char === '\\' && at + 1 < to) return one(equals(this.#chars[at + 1]), at + 2);
    if (char === '?') return one(isNoSlash, at + 1);
    if (char === '[') {
      const set = readSet(this.#chars, { at, to }, this.#budget);
      if (set !== undefined) return one(set.takes, set.end);
    }
    if (char === '*' || char === '/') return this.#run(at);
    const brace = this.#braces.get(at);
    if (brace !== undefined) {
      const build = this.#alternatives(at, brace);
      if (build !== undefined) return { build, end: brace.end + 1 };
    }
    return one(equals(char), at + 1);
  }

  /** Reads `*`, `**`, `/`, or a `**` between slashes, which also stands for no folder at all. */
  #run(at: number): { build: (next: number) => number; end: number } {
    const many = (takes: Test) => (next: number) => this.#add({ kind: 'many', takes, next });
    const slash = (next: number) => this.#add({ kind: 'one', takes: equals('/'), next });
    const has = (text: string, from: number) => this.#chars.slice(from, from + text.length).join('') === text;
    const folders = (next: number) =>
      this.#add({ kind: 'either', nexts: [next, many(() => true)(slash(next))] });
    const isFirstInName = at === 0 || this.#chars[at - 1] === '/';
    if (isFirstInName && has('**/', at)) return { build: folders, end: at + 3 };
    if (has('/', at)) return { build: slash, end: at + 1 };
    if (has('**', at)) return { build: many(() => true), end: at + 2 };
    return { build: many(isNoSlash), end: at + 1 };
  }

  /** @returns undefined for braces without alternatives, which are ordinary characters */
  #alternatives(at: number, { end, commas }: Brace): ((next: number) => number) | undefined {
    if (commas.length > 0) {
      const ends = [...commas, end];
      const starts = [at, ...commas];
      return (next) =>
        this.#add({
          kind: 'either',
          nexts: ends.map((stop, index) => this.#sequence((starts[index] ?? at) + 1, stop, next)),
        });
    }
    const range = RANGE.exec(this.#chars.slice(at + 1, end).join(''));
    if (range === null) return undefined;
    const [one, other] = [BigInt(range[1] ?? 0), BigInt(range[2] ?? 0)];
    const [low, high] = one < other ? [one, other] : [other, one];
    return (next) => this.#add({ kind: 'number', low, high, next });
  }

  matches(path: string, starts: readonly number[]): boolean {
    const reached = new Reached();
    for (const start of starts) reached.add(start, this.#start);
    for (let at = 0; at < path.length && !reached.isEmpty; at += 1) {
      this.#budget.spend(1);
      this.#stepAll({ path, at, reached });
      reached.forget(at);
    }
    this.#stepAll({ path, at: path.length, reached });
    return reached.at(path.length).has(END);
  }

  #stepAll(on: Position): void {
    // Iteration over a Set includes members that are added on the way.
    for (const index of on.reached.at(on.at)) {
      this.#budget.spend(1);
      this.#step(index, on);
    }
  }

  #step(index: number, { path, at, reached }: Position): void {
    const state = this.#states[index];
    if (state === undefined || state.kind === 'end') return;
    if (state.kind === 'either') {
      for (const next of state.nexts) reached.add(at, next);
    } else if (state.kind === 'number') {
      for (const end of numbersFrom(path, at, state)) reached.add(end, state.next);
    } else {
      const isTaken = at < path.length && state.takes(path.charAt(at));
      if (state.kind === 'many') reached.add(at, state.next);
      if (isTaken) reached.add(at + 1, state.kind === 'many' ? index : state.next);
    }
  }
}

/** The states that a path can have reached, by position in it. */
class Reached {
  readonly #states = new Map<number, Set<number>>();

  get isEmpty(): boolean {
    return this.#states.size === 0;
  }

  at(position: number): ReadonlySet<number> {
    return this.#states.get(position) ?? new Set();
  }

  add(position: number, state: number): void {
    const states = this.#states.get(position);
    if (states === undefined) this.#states.set(position, new Set([state]));
    else states.add(state);
  }

  forget(position: number): void {
    this.#states.delete(position);
  }
}

interface Position {
  readonly path: string;
  readonly at: number;
  readonly reached: Reached;
}

function* numbersFrom(
  path: string,
  at: number,
  { low, high }: { low: bigint; high: bigint },
): Generator<number> {
  for (let end = at + 1; end <= Math.min(at + NUMBER_CHARS_MAX, path.length); end += 1) {
    const text = path.slice(at, end);
    if (!NUMBER.test(text)) {
      if (text !== '-') return;
    } else if (BigInt(text) >= low && BigInt(text) <= high) yield end;
  }
}

function isNoSlash(char: string): boolean {
  return char !== '/';
}

function equals(expected: string | undefined): Test {
  return (char) => char === expected;
}

/** Finds the end of every opening brace, in one pass. */
function bracesOf(chars: readonly string[]): ReadonlyMap<number, Brace> {
  const braces = new Map<number, Brace>();
  const open: { start: number; commas: number[] }[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at];
    if (char === '\\') at += 1;
    else if (char === '{') open.push({ start: at, commas: [] });
    else if (char === ',') open.at(-1)?.commas.push(at);
    else if (char === '}') {
      const brace = open.pop();
      if (brace !== undefined) braces.set(brace.start, { end: at, commas: brace.commas });
    }
  }
  return braces;
}

/** @returns undefined if the bracket is an ordinary character: it is not closed, or the set has a slash */
function readSet(
  chars: readonly string[],
  { at, to }: { readonly at: number; readonly to: number },
  budget: StepBudget,
): { readonly takes: Test; readonly end: number } | undefined {
  const isNegated = chars[at + 1] === '!' || chars[at + 1] === '^';
  const members = new Set<string>();
  let last = '';
  const ranges: [string, string][] = [];
  for (let index = isNegated ? at + 2 : at + 1; index < to; index += 1) {
    const char = chars[index] ?? '';
    budget.spend(1);
    if (char === '/') return undefined;
    if (char === ']' && members.size > 0) {
      const takes = (each: string) => each !== '/' && (isIn(each, members, ranges) ? !isNegated : isNegated);
      return { takes, end: index + 1 };
    }
    if (char === '\\' && index + 1 < to) index += 1;
    const isRange = char === '-' && members.size > 0 && chars[index + 1] !== ']';
    if (isRange) {
      index += 1;
      ranges.push([last, chars[index] ?? '']);
    }
    last = chars[index] ?? '';
    members.add(last);
  }
  return undefined;
}

function isIn(char: string, members: ReadonlySet<string>, ranges: readonly [string, string][]): boolean {
  return members.has(char) || ranges.some(([low, high]) => low <= char && char <= high);
}
