import type { TestContext } from 'node:test';
import { type Cost, watchCosts } from '../../../src/base/core/costs.ts';
import { RequestCaller, runFor } from '../../../src/base/core/fairness/caller.ts';
import { afterTest } from '../../support/after-test.ts';

/** Returns the outcome of `work`, and the number of git processes that it started as a request. */
export async function countingProcesses<T>(t: TestContext, work: () => Promise<T>) {
  const costs: Cost[] = [];
  const unwatch = watchCosts((cost) => costs.push(cost));
  afterTest(t, unwatch);
  const result = await runFor(new RequestCaller('127.0.0.1', () => AbortSignal.any([])), work);
  unwatch();
  return { result, processes: costs.filter((cost) => cost === 'git processes').length };
}
