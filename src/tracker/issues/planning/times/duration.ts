const WEEK = 7 * 24 * 60 * 60;
/**
 * Seconds of each unit. A text shows two neighbors of this list. A month has four weeks and a year twelve months, as in
 * the reference.
 */
const UNITS = [
  ['year', 48 * WEEK],
  ['month', 4 * WEEK],
  ['week', WEEK],
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
  ['second', 1],
] as const;

/** Words for a duration, such as `1 hour 5 minutes`: its largest unit and the next one. */
export function durationText(seconds: number): string {
  const found = UNITS.findIndex(([, length]) => seconds >= length);
  const first = Math.min(found === -1 ? UNITS.length : found, UNITS.length - 2);
  let rest = seconds;
  const words: string[] = [];
  for (const [name, length] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) words.push(`${count} ${name}${count === 1 ? '' : 's'}`);
  }
  return words.join(' ');
}
