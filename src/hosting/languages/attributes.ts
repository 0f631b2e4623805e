import { type PathPattern, pathPattern, TakenPath } from '../../git/format/path-pattern.ts';
import { LANGUAGE_LIMITS } from './limits.ts';

/** Attributes in `.gitattributes` that concern languages. null: the line resets what an earlier line has set. */
interface FileAttributes {
  readonly language?: string;
  readonly vendored?: boolean;
  readonly generated?: boolean;
  readonly documentation?: boolean;
  readonly detectable?: boolean;
  /** the content is not text, or stored elsewhere */
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

/** The rules of the `.gitattributes` in the root of a repository. The last rule that matches a file wins. */
export class Attributes {
  /** last rule first */
  readonly #rules: readonly Rule[];

  constructor(text: string) {
    this.#rules = text.split('\n').flatMap(ruleOf).slice(0, LANGUAGE_LIMITS.languageRulesMax).toReversed();
  }

  of(path: string): FileAttributes {
    const found: FileAttributes = {};
    const taken = new TakenPath(path);
    for (const { pattern, attributes } of this.#rules) {
      if (pattern.matches(taken)) Object.assign(found, { ...attributes, ...found });
    }
    return found;
  }

  /** Whether a rule marks a path as not vendored. */
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
