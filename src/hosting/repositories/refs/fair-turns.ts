import { FairSlots } from '../../../base/core/fairness/fair-slots.ts';

type Options = Pick<
  ConstructorParameters<typeof FairSlots>[0],
  'what' | 'queueMax' | 'queuePerCallerMax' | 'waitMs'
>;

/** Runs one piece of work at a time for each key. Waiting callers take turns, and each queue is bounded. */
export class FairTurns {
  readonly #options: Options;
  readonly #slots = new Map<string, FairSlots>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** @throws ForgeError `busy` when the queue is full or the wait too long; any error of `work` */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const slots = this.#slots.get(key) ?? this.#begin(key);
    try {
      return await slots.run(work);
    } finally {
      if (slots.running === 0 && slots.waiting === 0) this.#slots.delete(key);
    }
  }

  #begin(key: string): FairSlots {
    const slots = new FairSlots({ ...this.#options, unitsMax: 1, unitsPerCallerMax: 1, unitsForSignedIn: 0 });
    this.#slots.set(key, slots);
    return slots;
  }
}
