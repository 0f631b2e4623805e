/** Repeats the check, once per turn of the event loop, until it holds. The time limit of the test bounds it. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
