interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/** Remembers what was used last, up to a total weight (bytes, or 1 for each entry). */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #weightMax: number;
  #weight = 0;

  constructor(options: { weightMax: number }) {
    this.#weightMax = options.weightMax;
  }

  get weight(): number {
    return this.#weight;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // A Map keeps the order of insertion: putting it in again makes it the newest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Something heavier than a quarter of the whole is not kept: it would push out everything else. */
  set(key: Key, value: Value, weight = 1): void {
    this.delete(key);
    if (weight > this.#weightMax / 4) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const [oldest] of this.#entries) {
      if (this.#weight <= this.#weightMax) break;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}
