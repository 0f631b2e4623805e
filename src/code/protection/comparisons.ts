import { setImmediate } from 'node:timers/promises';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import { StepBudget } from '../../base/core/text/globs.ts';
import { PROTECTION_LIMITS } from './limits.ts';

/**
 * The comparisons of one request with patterns, which users write. Bounds each of them and all together, and lets other
 * work run in between.
 */
export class Comparisons {
  #left = PROTECTION_LIMITS.protectionMatchStepsMax;
  #sinceLastTurn = 0;

  /**
   * @param match compares one name or path with all patterns
   * @throws ForgeError `invalid` for a comparison that takes too long
   */
  run<T>(match: (budget: StepBudget) => T): T {
    const budget = new StepBudget(Math.min(PROTECTION_LIMITS.protectionMatchStepsAtOnceMax, this.#left));
    try {
      return match(budget);
    } finally {
      this.#left -= budget.spent;
      this.#sinceLastTurn += budget.spent;
    }
  }

  /** Whether other work needs a turn before the next comparison. */
  get isDueToRest(): boolean {
    return this.#sinceLastTurn >= PROTECTION_LIMITS.protectionMatchStepsInOneGo;
  }

  /** @throws the reason of the caller's leaving */
  async rest(): Promise<void> {
    this.#sinceLastTurn = 0;
    await setImmediate();
    currentCaller().left?.throwIfAborted();
  }
}
