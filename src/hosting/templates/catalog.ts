/**
 * A fixed set of names. Look up every name from a request here, and read files only by the name that is found.
 */
export class Catalog {
  /** in alphabetical order */
  readonly names: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #inLowerCase: ReadonlyMap<string, string>;

  constructor(names: readonly string[]) {
    this.names = names.toSorted(alphabetically);
    this.#exact = new Set(names);
    this.#inLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  }

  /** Returns the name in its listed spelling. Case matters only between names that differ in case alone. */
  find(name: string): string | undefined {
    return this.#exact.has(name) ? name : this.#inLowerCase.get(name.toLowerCase());
  }
}

/** Compares names independently of the machine's locale. */
function alphabetically(left: string, right: string): number {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  if (a === b) return left < right ? -1 : 1;
  return a < b ? -1 : 1;
}
