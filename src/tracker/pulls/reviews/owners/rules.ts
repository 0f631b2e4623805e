import { setImmediate } from 'node:timers/promises';
import { isFailure } from '../../../../base/core/failure.ts';
import { StepBudget } from '../../../../base/core/text/globs.ts';
import type { NamedReviewers } from '../model.ts';
import { CODE_OWNER_LIMITS } from './limits.ts';
import { LinearPattern } from './pattern.ts';

/** Where a repository may have its code owners; the first file that exists counts. */
export const CODE_OWNER_PATHS = [
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.gitea/CODEOWNERS',
  '.forgejo/CODEOWNERS',
] as const;

/** A line of the file. */
export interface OwnerRule {
  /** a regular expression */
  readonly pattern: string;
  /** The owners own the files that do not match. */
  readonly isNegated: boolean;
  /** names of users, or `organization/team`, in lower case */
  readonly owners: readonly string[];
}

/**
 * Parses code owners: in each line a regular expression in the syntax of Go for whole paths, perhaps after `!`, and then
 * users and teams, such as `@ada` and `@acme/platform`. A backslash makes the next character part of a word. Leaves out
 * lines without owners.
 *
 * @see https://docs.gitea.com/usage/repository/code-owners
 */
export function parseOwnerRules(text: string): readonly OwnerRule[] {
  const rules: OwnerRule[] = [];
  for (const line of text.split('\n')) {
    if (rules.length === CODE_OWNER_LIMITS.codeOwnerRulesMax) break;
    const [first = '', ...owners] = wordsOf(line);
    if (owners.length === 0 || first.length > CODE_OWNER_LIMITS.codeOwnerPatternCharsMax) continue;
    const isNegated = first.startsWith('!');
    // As in the reference, the pattern is inserted into a text, so `a|b` matches what begins with a or ends with b.
    const pattern = `^${isNegated ? first.slice(1) : first}$`;
    const names = owners.slice(0, CODE_OWNER_LIMITS.ownersPerRuleMax);
    rules.push({ pattern, isNegated, owners: names.map((name) => name.replace(/^@/, '').toLowerCase()) });
  }
  return rules;
}

/** Splits a line at blanks, up to a comment. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let word = '';
  let isEscaped = false;
  for (const char of line.trim()) {
    if (isEscaped) {
      word += char;
      isEscaped = false;
    } else if (char === '\\') isEscaped = true;
    else if (char === '#') break;
    else if (char === ' ' || char === '\t') {
      if (word !== '') words.push(word);
      word = '';
    } else word += char;
  }
  return word === '' ? words : [...words, word];
}

/**
 * Finds the owners of changed files, without those of malformed patterns. Lets other work run in between. If the comparison takes too long, it returns the
 * owners that it has found so far.
 *
 * @param owner name of the organization that owns the repository; teams of others are left out
 */
export async function ownersOf(
  rules: readonly OwnerRule[],
  paths: readonly string[],
  owner: string,
): Promise<NamedReviewers> {
  const names = new Set<string>();
  const budget = new StepBudget(CODE_OWNER_LIMITS.codeOwnerStepsMax);
  let turnEndsAt = CODE_OWNER_LIMITS.codeOwnerStepsInOneGo;
  try {
    for (const { pattern: text, isNegated, owners } of rules) {
      if (owners.every((name) => names.has(name))) continue;
      // Each is compiled for a moment only, because thousands together take much memory.
      const pattern = LinearPattern.of(text);
      budget.spend(pattern?.size ?? CODE_OWNER_LIMITS.codeOwnerStepsPerPatternMax);
      if (pattern === undefined) continue;
      for (const path of paths) {
        // Even a comparison that ends at the first character costs something.
        budget.spend(1);
        if (budget.spent > turnEndsAt) {
          turnEndsAt = budget.spent + CODE_OWNER_LIMITS.codeOwnerStepsInOneGo;
          await setImmediate();
        }
        if (pattern.isIn(path, budget) === isNegated) continue;
        for (const name of owners) names.add(name);
        break;
      }
    }
  } catch (error) {
    if (!isFailure(error, 'invalid')) throw error;
  }
  const prefix = `${owner.toLowerCase()}/`;
  const all = [...names].slice(0, CODE_OWNER_LIMITS.codeOwnersRequestedMax);
  return {
    users: all.filter((name) => !name.includes('/')),
    teams: all.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
  };
}
