/**
 * The names there are. Whatever is read by a name is read by one of these, never by one that somebody sent.
 */
export class Catalogue {
  /** in alphabetical order */
  readonly names: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #inLowerCase: ReadonlyMap<string, string>;

  constructor(names: readonly string[]) {
    this.names = names.toSorted(alphabetically);
    this.#exact = new Set(names);
    this.#inLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  }

  /** The name as it is spelled here; the case of letters matters only where two names differ in nothing else. */
  find(name: string): string | undefined {
    return this.#exact.has(name) ? name : this.#inLowerCase.get(name.toLowerCase());
  }
}

/** The same on every machine, whatever its language. */
function alphabetically(left: string, right: string): number {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  if (a === b) return left < right ? -1 : 1;
  return a < b ? -1 : 1;
}
