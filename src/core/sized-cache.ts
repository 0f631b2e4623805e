import { LRUCache } from 'lru-cache';

type Defined = NonNullable<unknown>;

/**
 * Makes a cache of the most recently used values, bounded by their total size. It does not keep a value larger than a
 * quarter of the bound, which would push out most others.
 *
 * @param options.sizeMax in the unit of `sizeOf`, such as bytes
 * @param options.sizeOf a whole number, 1 at least; measured when a value is set and not again when it changes
 */
export function createSizedCache<Key extends Defined, Value extends Defined>(options: {
  sizeMax: number;
  sizeOf: (value: Value, key: Key) => number;
}): LRUCache<Key, Value> {
  const { sizeMax, sizeOf } = options;
  const maxEntrySize = Math.max(Math.floor(sizeMax / 4), 1);
  return new LRUCache({ maxSize: sizeMax, maxEntrySize, sizeCalculation: sizeOf });
}
