import assert from 'node:assert/strict';

/** Returns the CPU time that this process has used, in ms. Other processes hardly affect it. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** How much faster than the input the time may grow. A quadratic time would grow by another 16 for 16 times the input. */
const SLACK = 5;
/** Shorter times measure the collector and the compiler. */
const SHORT_MS = 8;

/**
 * Asserts that the CPU time of synchronous work grows no faster than its input, apart from constants.
 *
 * @param inputOf makes an input of about this size
 * @param sizes `to` is at least 16 times `from`, so that a quadratic time shows
 */
export function assertLinear<Input>(
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
  { from, to }: { from: number; to: number },
): void {
  const timeOf = (size: number) => {
    const input = inputOf(size);
    const start = process.threadCpuUsage();
    work(input);
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  };
  // The first run compiles the code.
  timeOf(from);
  const short = Math.max(timeOf(from), SHORT_MS);
  const long = timeOf(to);
  const growth = to / from;
  assert.ok(
    long <= short * growth * SLACK,
    `${growth} times the input took ${long.toFixed()} ms of CPU instead of ${short.toFixed()} ms`,
  );
}
