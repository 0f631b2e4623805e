const AT_ONCE_MAX = 16;

/** Does the same to all items, to some of them at once: file systems work in parallel, up to a point. */
export async function inPortions<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE_MAX) {
    await Promise.all(items.slice(at, at + AT_ONCE_MAX).map(work));
  }
}
