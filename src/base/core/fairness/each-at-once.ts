/**
 * Runs work for each item, at most `countMax` at a time. Starts no more work after a failure. When it ends, no work
 * runs any more.
 *
 * @throws the first failure, of the work or of the items
 */
export async function eachAtOnce<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  countMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const item of items) {
      if (failures.length > 0) break;
      const run: Promise<void> = work(item)
        .catch((error: unknown) => {
          failures.push(error);
        })
        .then(() => {
          running.delete(run);
        });
      running.add(run);
      if (running.size >= countMax) await Promise.race(running);
    }
  } catch (error) {
    failures.push(error);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}
