import { LIMITS } from '../core/limits.ts';
import { type PathPattern, pathPattern, TakenPath } from './patterns.ts';

/** What `.gitattributes` can say of a file that concerns languages; null: it takes back what an earlier line said. */
export interface FileAttributes {
  readonly language?: string;
  readonly vendored?: boolean;
  readonly generated?: boolean;
  readonly documentation?: boolean;
  readonly detectable?: boolean;
  /** its content is no text, or not here */
  readonly opaque?: boolean;
}

interface Rule {
  readonly pattern: PathPattern;
  readonly attributes: FileAttributes;
}

const FLAGS: Readonly<Record<string, keyof FileAttributes>> = {
  'linguist-vendored': 'vendored',
  'linguist-generated': 'generated',
  'linguist-documentation': 'documentation',
  'linguist-detectable': 'detectable',
  binary: 'opaque',
};

/** The rules of the `.gitattributes` of a repository's root, the last one that names a file winning. */
export class Attributes {
  /** the last first */
  readonly #rules: readonly Rule[];

  constructor(text: string) {
    this.#rules = text.split('\n').flatMap(ruleOf).slice(0, LIMITS.languageRulesMax).toReversed();
  }

  of(path: string): FileAttributes {
    const found: FileAttributes = {};
    const taken = new TakenPath(path);
    for (const { pattern, attributes } of this.#rules) {
      if (pattern.matches(taken)) Object.assign(found, { ...attributes, ...found });
    }
    return found;
  }

  /** Whether some rule says of something that it is not vendored, which a name would have made it. */
  get unvendors(): boolean {
    return this.#rules.some(({ attributes }) => attributes.vendored === false);
  }
}

function ruleOf(line: string): Rule[] {
  const [text, ...words] = line.trim().split(/[ \t\r]+/);
  if (text === undefined || text.startsWith('#') || text.startsWith('"')) return [];
  const attributes = attributesOf(words);
  const pattern = Object.keys(attributes).length === 0 ? undefined : pathPattern(text);
  return pattern === undefined ? [] : [{ pattern, attributes }];
}

function attributesOf(words: readonly string[]): FileAttributes {
  const found: { -readonly [Key in keyof FileAttributes]: FileAttributes[Key] } = {};
  for (const word of words) {
    const [, minus = '', name = '', value] = /^([-!]?)([^=]*)(?:=(.*))?$/.exec(word) ?? [];
    if (name === 'linguist-language' && value !== undefined) found.language = value;
    if (name === 'filter') found.opaque = minus === '' && value === 'lfs';
    const flag = FLAGS[name];
    if (flag !== undefined) Object.assign(found, { [flag]: minus === '' && value !== 'false' });
  }
  return found;
}
