import { invalid } from '../../base/core/failure.ts';
import type { Addresses } from '../../http/app.ts';
import { repositoryAddresses } from '../repositories/present.ts';

/**
 * Values of the variables in a template's files, for one new repository.
 *
 * @see https://docs.gitea.com/usage/repository/template-repositories
 */
export type Variables = ReadonlyMap<string, string>;

interface Named {
  readonly owner: { readonly name: string };
  readonly name: string;
  readonly description: string;
}

const VARIABLE = /(\$?)\$(?:\{(\w+)\}|(\w+))/g;

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

export function variablesOf(
  made: { template: Named; repository: Named; at: Date },
  addresses: Addresses,
): Variables {
  const { template, repository, at } = made;
  const plain: [string, string][] = [
    ['YEAR', `${at.getUTCFullYear()}`],
    ['MONTH', `${at.getUTCMonth() + 1}`.padStart(2, '0')],
    ['DAY', `${at.getUTCDate()}`.padStart(2, '0')],
    ...factsOf('REPO', repository, addresses),
    ...factsOf('TEMPLATE', template, addresses),
  ];
  const transformable: [string, string][] = [
    ['MONTH_ENGLISH', MONTHS[at.getUTCMonth()] ?? ''],
    ['REPO_NAME', repository.name],
    ['REPO_OWNER', repository.owner.name],
    ['TEMPLATE_NAME', template.name],
    ['TEMPLATE_OWNER', template.owner.name],
  ];
  return new Map([...plain, ...transformable, ...transformable.flatMap(transformed)]);
}

/** The SSH address is empty: Quire has no SSH. */
function factsOf(prefix: string, repository: Named, addresses: Addresses): [string, string][] {
  const { htmlUrl } = repositoryAddresses(repository, addresses);
  return [
    [`${prefix}_DESCRIPTION`, repository.description],
    [`${prefix}_LINK`, htmlUrl],
    [`${prefix}_HTTPS_URL`, `${htmlUrl}.git`],
    [`${prefix}_SSH_URL`, ''],
  ];
}

function transformed([name, value]: [string, string]): [string, string][] {
  const words = wordsOf(value);
  const capitalized = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const pascal = capitalized.join('');
  return [
    [`${name}_SNAKE`, words.join('_')],
    [`${name}_KEBAB`, words.join('-')],
    [`${name}_CAMEL`, pascal.charAt(0).toLowerCase() + pascal.slice(1)],
    [`${name}_PASCAL`, pascal],
    [`${name}_LOWER`, value.toLowerCase()],
    [`${name}_UPPER`, value.toUpperCase()],
    [
      `${name}_TITLE`,
      value.toLowerCase().replace(/(?<![A-Za-z0-9])[a-z]/g, (letter) => letter.toUpperCase()),
    ],
  ];
}

/** Splits a name into lower-case words: `goSDK-kit` is `go`, `sdk`, `kit`. */
function wordsOf(text: string): readonly string[] {
  const split = text.replace(/([a-z0-9])([A-Z])/g, '$1-$2');
  return split
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/**
 * Replaces each `$NAME` and `${NAME}`. Two dollar signs before a name become one, and the name stays. Unknown names
 * stay too.
 *
 * @throws ForgeError `invalid` for a text that would grow beyond `charsMax`
 */
export function expand(text: string, variables: Variables, charsMax: number): string {
  let chars = text.length;
  return text.replace(VARIABLE, (found, second: string, braced?: string, bare?: string) => {
    const value = variables.get(braced ?? bare ?? '');
    if (value === undefined) return found;
    const put = second === '' ? value : found.slice(1);
    chars += put.length - found.length;
    if (chars > charsMax) throw invalid('a file of the template grows too large when it is filled in');
    return put;
  });
}

/** Replaces the characters that some file system forbids in a path. */
export function forPaths(variables: Variables): Variables {
  return new Map([...variables].map(([name, value]) => [name, value.replace(/[<>:"/\\|?*\p{Cc}]/gu, '_')]));
}
