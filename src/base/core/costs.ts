import { isForRequest } from './fairness/caller.ts';

/** Work that takes much longer than computing. A test counts it instead of measuring time. */
export const COSTS = [
  'statements',
  'transactions',
  'syncs',
  'git processes',
  'objects asked for',
  'objects decoded',
  'object bytes',
] as const;
export type Cost = (typeof COSTS)[number];

let watcher: ((cost: Cost, count: number) => void) | undefined;

/**
 * Calls `watch` for the work that requests cause. Jobs and other work without a request do not count.
 *
 * @returns a function that removes the watcher
 */
export function watchCosts(watch: (cost: Cost, count: number) => void): () => void {
  watcher = watch;
  return () => {
    watcher = undefined;
  };
}

export function countCost(cost: Cost, count = 1): void {
  if (watcher !== undefined && isForRequest()) watcher(cost, count);
}
