import type { Sample } from '../model.ts';

/** Times operations that run one after the other. */
export async function timeEach(count: number, work: (index: number) => Promise<unknown>): Promise<Sample> {
  const latenciesMs: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now();
    await work(index);
    latenciesMs.push(performance.now() - startedAt);
  }
  return { latenciesMs, elapsedMs: latenciesMs.reduce((total, ms) => total + ms, 0) };
}

/** Times operations that start at the same moment. */
export async function timeTogether(
  count: number,
  work: (index: number) => Promise<unknown>,
): Promise<Sample> {
  const startedAt = performance.now();
  const since = () => performance.now() - startedAt;
  const latenciesMs = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await work(index);
      return since();
    }),
  );
  return { latenciesMs, elapsedMs: since() };
}

/** Times synchronous work repeatedly for a while. */
export function timeRepeated(forMs: number, work: (index: number) => void): Sample {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  let now = startedAt;
  for (let index = 0; now < startedAt + forMs; index += 1) {
    const before = now;
    work(index);
    now = performance.now();
    latenciesMs.push(now - before);
  }
  return { latenciesMs, elapsedMs: now - startedAt };
}
