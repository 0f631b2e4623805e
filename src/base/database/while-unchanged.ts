import { createCountedCache } from '../core/sized-cache.ts';
import type { Database } from './database.ts';

type Defined = NonNullable<unknown>;

/**
 * Remembers what was read from a database until the next commit of any process. So a read that each request repeats takes
 * no statement, and is never older than a new read would be. A database without `dataVersion` reads each time.
 */
export class WhileUnchanged<Key extends Defined, Value extends Defined> {
  readonly #database: Pick<Database, 'dataVersion'>;
  readonly #values;
  #version: number | undefined;

  constructor(database: Pick<Database, 'dataVersion'>, options: { entriesMax: number }) {
    this.#database = database;
    this.#values = createCountedCache<Key, Value>(options);
  }

  /** @param read returns undefined if there is nothing, which is not remembered */
  async get(key: Key, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const version = this.#database.dataVersion?.();
    if (version === undefined) return read();
    if (version !== this.#version) {
      this.#values.clear();
      this.#version = version;
    }
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = await read();
    // Another call may have seen a later version meanwhile.
    if (value !== undefined && this.#version === version) this.#values.set(key, value);
    return value;
  }
}
