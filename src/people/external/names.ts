import { ACCOUNT_LIMITS } from '../accounts/limits.ts';
import { accountNameProblem } from '../accounts/names.ts';

/**
 * Makes the name of an account of what a provider calls a user: `Ada Lovelace`, `ada@example.org`, `Adéle`.
 *
 * @returns undefined if no usable name remains
 */
export function accountNameOf(sent: string): string | undefined {
  const [local = ''] = sent.split('@', 1);
  const name = local
    .slice(0, ACCOUNT_LIMITS.profileFieldCharsMax)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
    // Two of these characters in a row are not allowed, nor one at either end.
    .replaceAll(/([-_.])[-_.]+/g, '$1')
    .slice(0, ACCOUNT_LIMITS.nameCharsMax)
    .replaceAll(/^[-_.]+|[-_.]+$/g, '');
  return accountNameProblem(name) === undefined ? name : undefined;
}

/** Returns names to try in turn: the name itself, then the name with a number. */
export function nameCandidates(name: string, suffixMax: number): readonly string[] {
  const numbered = Array.from({ length: suffixMax - 1 }, (_, index) => {
    const suffix = `-${index + 2}`;
    const start = name.slice(0, ACCOUNT_LIMITS.nameCharsMax - suffix.length).replace(/[-_.]+$/, '');
    return `${start}${suffix}`;
  });
  return [name, ...numbered].filter((candidate) => accountNameProblem(candidate) === undefined);
}
