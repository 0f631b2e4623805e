import type { TestContext } from 'node:test';
import type { FairSlots } from '../../../src/base/core/fairness/fair-slots.ts';
import { afterTest } from '../after-test.ts';

/** Takes slots, so that work which needs one waits. @returns a function that frees them */
export async function holdSlots(t: TestContext, slots: FairSlots, count: number): Promise<() => void> {
  const held: (() => void)[] = [];
  while (slots.running < count) held.push(await slots.enter());
  const free = () => {
    for (const leave of held.splice(0)) leave();
  };
  afterTest(t, free);
  return free;
}
