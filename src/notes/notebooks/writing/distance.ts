import { NOTE_LIMITS } from '../limits.ts';

/**
 * Estimates how much two texts differ, first by the number of lines that only one text has, and then by the characters
 * of these lines. Takes linear time.
 */
export function distance(one: string, other: string): number {
  if (one === other) return 0;
  const [left, right] = [one.split('\n'), other.split('\n')];
  const [removed, added] = [without(left, right), without(right, left)];
  const [a, b] = [removed.join('\n'), added.join('\n')];
  const start = commonStart(a, b);
  const end = commonEnd(a.slice(start), b.slice(start));
  const chars = Math.max(a.length, b.length) - start - end;
  // Two texts with the same lines in another order differ, too.
  return (removed.length + added.length) * NOTE_LIMITS.noteBytesMax + chars || 1;
}

/**
 * Returns the lines that `others` lack. A line that occurs more often than in `others` is returned for each additional
 * time.
 */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const left = counts.get(line) ?? 0;
    if (left > 0) counts.set(line, left - 1);
    return left === 0;
  });
}

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function commonEnd(one: string, other: string): number {
  let count = 0;
  while (count < Math.min(one.length, other.length) && one.at(-1 - count) === other.at(-1 - count))
    count += 1;
  return count;
}
