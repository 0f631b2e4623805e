/** Counts what an import leaves out, by what it is. */
export class Omissions {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  lines(): readonly string[] {
    return [...this.#counts].map(([what, count]) => `${what}: ${count}`);
  }
}
