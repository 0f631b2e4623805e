/** Returns the index of the last of `count` ascending values that is at most `value`; -1 if there is none. */
export function lastAtMost(count: number, value: number, valueAt: (index: number) => number): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (valueAt(middle) <= value) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
