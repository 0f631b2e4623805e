const AT_ONCE_MAX = 16;

/** Processes all items in batches of concurrent work, because file systems work in parallel up to a point. */
export async function inBatches<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE_MAX) {
    await Promise.all(items.slice(at, at + AT_ONCE_MAX).map(work));
  }
}
