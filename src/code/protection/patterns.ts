import { type ForgeError, invalid, isFailure } from '../../base/core/failure.ts';
import { type Glob, parseGlob, type StepBudget } from '../../base/core/text/globs.ts';
import { textOfPath } from '../../git/format/name-bytes.ts';
import { PROTECTION_LIMITS } from './limits.ts';

const GLOB_CHARACTERS = /[*?[\]{}\\]/;
const ALTERNATIVES = { alternativesMax: PROTECTION_LIMITS.protectionAlternativesMax };

/** Whether a pattern is a glob. Otherwise it is the name of one branch or tag. */
export function isGlob(pattern: string): boolean {
  return GLOB_CHARACTERS.test(pattern);
}

/** @throws ForgeError `invalid` */
export function requirePattern(pattern: string): void {
  const problem = patternProblem(pattern);
  if (problem !== undefined) throw invalid(problem);
}

function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'a protection needs a name or a pattern';
  const charsMax = PROTECTION_LIMITS.protectionPatternCharsMax;
  if (pattern.length > charsMax) return `a pattern has at most ${charsMax} characters`;
  if (!pattern.isWellFormed() || /[\u0000-\u001f\u007f]/.test(pattern)) {
    return 'a pattern cannot hold control characters';
  }
  if (pattern.startsWith('/') && pattern.endsWith('/'))
    return 'a pattern is a glob, not a regular expression';
  if (isGlob(pattern) && parseGlob(pattern, ALTERNATIVES) === undefined) return `not a glob: ${pattern}`;
  return undefined;
}

/** Rules with patterns, ready to be compared with many names. */
export class PatternRules<Rule extends { readonly pattern: string }> {
  readonly #named = new Map<string, Rule>();
  readonly #namedInAnyCase = new Map<string, Rule>();
  readonly #globs: readonly { readonly rule: Rule; readonly globs: readonly Glob[] }[];

  /** @param rules in the order in which they were created */
  constructor(rules: readonly Rule[]) {
    for (const rule of rules.filter(({ pattern }) => !isGlob(pattern))) {
      const inLowerCase = rule.pattern.toLowerCase();
      this.#named.set(rule.pattern, rule);
      if (!this.#namedInAnyCase.has(inLowerCase)) this.#namedInAnyCase.set(inLowerCase, rule);
    }
    this.#globs = rules
      .filter(({ pattern }) => isGlob(pattern))
      .map((rule) => ({ rule, globs: parseGlob(rule.pattern, ALTERNATIVES) ?? [] }));
  }

  /** Returns the rule with this name: in this spelling, or else in any case. */
  named(name: string): Rule | undefined {
    return this.#named.get(name) ?? this.#namedInAnyCase.get(name.toLowerCase());
  }

  /**
   * Returns the rule that applies to a name: the one with this name before the oldest glob that matches.
   *
   * @throws ForgeError `invalid` if the budget is used up
   */
  firstMatch(name: string, budget: StepBudget): Rule | undefined {
    return this.named(name) ?? this.#globs.find(({ globs }) => matchesAny(globs, name, budget))?.rule;
  }

  /** @throws ForgeError `invalid` if the budget is used up */
  allMatches(name: string, budget: StepBudget): readonly Rule[] {
    const named = this.named(name);
    const matching = this.#globs.filter(({ globs }) => matchesAny(globs, name, budget));
    return [...(named === undefined ? [] : [named]), ...matching.map(({ rule }) => rule)];
  }
}

function matchesAny(globs: readonly Glob[], text: string, budget: StepBudget): boolean {
  // Even a comparison that ends at the first character costs something.
  budget.spend(globs.length);
  return globs.some((glob) => glob.matches(text, budget));
}

/** Patterns of files, which match in any case. */
export class FilePatterns {
  readonly #globs: readonly Glob[];

  /** @throws ForgeError `invalid` */
  constructor(text: string) {
    if (text.length > PROTECTION_LIMITS.protectionFilePatternsCharsMax) {
      throw invalid(
        `patterns of files have at most ${PROTECTION_LIMITS.protectionFilePatternsCharsMax} characters`,
      );
    }
    if (!text.isWellFormed() || text.includes('\0')) throw invalid('patterns of files must be valid Unicode');
    const patterns = text.toLowerCase().split(';');
    this.#globs = patterns
      .map((pattern) => pattern.trim().replace(/^\//, ''))
      .filter((pattern) => pattern !== '')
      .flatMap(globsOf);
  }

  get isEmpty(): boolean {
    return this.#globs.length === 0;
  }

  /** @throws ForgeError `invalid` if the budget is used up */
  matches(path: string, budget: StepBudget): boolean {
    return matchesAny(this.#globs, textOfPath(path).toLowerCase(), budget);
  }
}

function globsOf(pattern: string): readonly Glob[] {
  const globs = parseGlob(pattern, ALTERNATIVES);
  if (globs === undefined) throw invalid(`not a glob: ${pattern}`);
  return globs;
}

/** Turns the failure of a comparison into the denial of a change: what cannot be compared counts as protected. */
export function denialOf(error: unknown): ForgeError {
  if (isFailure(error, 'invalid')) return error;
  throw error;
}
