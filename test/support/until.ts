import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses take a multiple of the time of a check, so that checks leave the processors to the work that they wait for. */
const PAUSE_FACTOR = 3;
const PAUSE_MS_MAX = 100;

/** Repeats the check, with short pauses, until it holds. The time limit of the test bounds it. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  let startedAt = performance.now();
  while (!(await holds())) {
    await sleep(Math.min(PAUSE_FACTOR * (performance.now() - startedAt), PAUSE_MS_MAX));
    startedAt = performance.now();
  }
}
