import { SharedWork } from '../../base/core/fairness/shared-work.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/**
 * Comparisons of objects, whose results never change. The last results are cached. Equal comparisons run once, until the
 * last caller leaves, and each caller takes a slot.
 */
export class KnownComparisons<Result extends NonNullable<unknown>> {
  readonly #running = new SharedWork<Result>();
  readonly #known;

  /**
   * @param options.sizeOf a result, in the unit of `sizeMax`
   * @param options.entrySizeMax as in `createSizedCache`
   */
  constructor(options: { sizeMax: number; entrySizeMax?: number; sizeOf: (result: Result) => number }) {
    this.#known = createSizedCache<string, Result>({
      ...options,
      sizeOf: (result, key) => options.sizeOf(result) + key.length,
    });
  }

  /**
   * Finds a result, or compares.
   *
   * @param key all that determines the result; not the repository, because the ids of its objects do
   * @throws ForgeError `busy`, and the errors of `compare`, which are not cached
   */
  async find(key: string, compare: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    // While it waits for a slot, another caller may have found the result.
    return (
      this.#known.get(key) ??
      PROCESS_SLOTS.diffs.run(async () => this.#known.get(key) ?? this.#run(key, compare))
    );
  }

  #run(key: string, compare: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.#running.run(key, async (signal) => {
      const result = await compare(signal);
      this.#known.set(key, result);
      return result;
    });
  }
}
