import type { Scalar } from './database.ts';

/**
 * A part of a statement together with the values of its parameters.
 *
 * Only the functions of this module make one, so text and parameters cannot drift apart.
 */
class Fragment {
  readonly #sql: string;
  readonly parameters: readonly Scalar[];

  constructor(sql: string, parameters: readonly Scalar[]) {
    this.#sql = sql;
    this.parameters = parameters;
  }

  /** The text, with a `?` for each parameter. */
  get sql(): string {
    return this.#sql;
  }
}

export type { Fragment };

/**
 * Builds a fragment: ``fragment`r.owner_id = ${id} and ${condition}` ``. A value becomes a parameter. Another fragment is
 * inserted with its own parameters.
 *
 * Two calls of the same template with fragments of the same text return the same string, so a statement that is used
 * often is concatenated, hashed and prepared once.
 */
export function fragment(strings: TemplateStringsArray, ...holes: readonly (Scalar | Fragment)[]): Fragment {
  const parameters: Scalar[] = [];
  let known = textsOf(strings);
  for (const hole of holes) {
    if (hole instanceof Fragment) {
      for (const parameter of hole.parameters) parameters.push(parameter);
      known = known.after(hole.sql);
    } else {
      parameters.push(hole);
      known = known.after(PLACEHOLDER);
    }
  }
  known.text ??= String.raw({ raw: strings }, ...holes.map(textOf));
  return new Fragment(known.text, parameters);
}

/** Uses `text` as it is. Only for constants: never for text that depends on a request. */
export function raw(text: string): Fragment {
  return new Fragment(text, []);
}

/** Writes a whole number into the text, where a planner or an expression needs a constant. */
export function literal(value: number): Fragment {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
  return raw(String(value));
}

/**
 * Names the index by which SQLite finds the rows of a table: `` fragment`from issues i ${usingIndex('issues_number')}` ``.
 * Statistics that an operator gathers then cannot lead it elsewhere. PostgreSQL does not see it: see `withoutIndexes`.
 */
export function usingIndex(name: string): Fragment {
  return raw(`indexed by ${name}`);
}

/** The text of a statement for PostgreSQL, which chooses its indexes by statistics that it keeps itself. */
export function withoutIndexes(text: string): string {
  return text.replaceAll(/ indexed by \w+/g, '');
}

/** Joins fragments with a constant between them; an empty list results in empty text. */
export function joined(parts: readonly Fragment[], separator: string): Fragment {
  return new Fragment(
    parts.map((part) => part.sql).join(separator),
    parts.flatMap((part) => part.parameters),
  );
}

/** One parameter for each value: what stands between the parentheses of `in (…)`. */
export function values(list: readonly Scalar[]): Fragment {
  return new Fragment(Array(list.length).fill(PLACEHOLDER).join(', '), list);
}

/** A boolean as both databases store it. */
export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

const PLACEHOLDER = '?';

/** Bounds the memory of texts: a search for many words makes many of them. */
const TEXTS_MAX = 2_000;

/** Texts of one template by the texts in its holes, one step for each hole. */
class KnownTexts {
  text: string | undefined;
  readonly #next = new Map<string, KnownTexts>();

  after(hole: string): KnownTexts {
    const known = this.#next.get(hole);
    if (known !== undefined) return known;
    const next = new KnownTexts();
    this.#next.set(hole, next);
    stepsKnown += 1;
    return next;
  }
}

let stepsKnown = 0;
let textsByTemplate = new WeakMap<TemplateStringsArray, KnownTexts>();

function textsOf(strings: TemplateStringsArray): KnownTexts {
  if (stepsKnown > TEXTS_MAX) {
    textsByTemplate = new WeakMap();
    stepsKnown = 0;
  }
  const known = textsByTemplate.get(strings);
  if (known !== undefined) return known;
  const texts = new KnownTexts();
  textsByTemplate.set(strings, texts);
  return texts;
}

function textOf(hole: Scalar | Fragment): string {
  return hole instanceof Fragment ? hole.sql : PLACEHOLDER;
}
