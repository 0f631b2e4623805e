/** Asks again and again, letting everything else go on in between, until the answer is yes. The test's own time bounds it. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
