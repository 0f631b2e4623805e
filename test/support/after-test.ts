import type { Cleanup } from './process.ts';

/**
 * Runs the work at the end of the test. node:test keeps every test and its hooks until the process ends. This hook drops
 * the work when it runs, so that a stopped server does not stay in memory.
 */
export function afterTest(t: Cleanup, work: () => unknown): void {
  let pending: (() => unknown) | undefined = work;
  t.after(() => {
    const run = pending;
    pending = undefined;
    return run?.();
  });
}
